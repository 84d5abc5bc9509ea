package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// plugin is the name of the link that makes kaudit a plugin: kubectl runs
// kubectl-NAME for "kubectl NAME".
const plugin = "kubectl-kaudit"

// programName returns what the user types to call the program that runs under
// a path: help and hints are there to be typed.
func programName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".exe")
	if base == plugin {
		return "kubectl kaudit"
	}
	return "kaudit"
}

// setProgram gives the command line its name.
func setProgram(root *cobra.Command, name string) {
	if name != root.Name() {
		root.Annotations[cobra.CommandDisplayNameAnnotation] = name
	}
}

// ourName is kaudit where it stands for the program: not in the name of a
// file, a path or an address, and not where kubectl stands before it.
var ourName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^|[\s("'|<])kaudit([\s:,.)"']|$)`) })

// spoken returns text with the program's name as the user knows it.
func spoken(program, text string) string {
	if program == "kaudit" {
		return text
	}
	return ourName().ReplaceAllString(text, "${1}"+program+"${2}")
}
