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

// programName returns what the user types to call the program at path, so that
// the commands in help and hints can be copied.
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

// ourName matches "kaudit" where it means the program, not where it is part of a
// file's name, a path or an address.
var ourName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(^|[\s("'|<])kaudit([\s:,.)"']|$)`) })

// spoken returns text with the program's name as the user knows it.
func spoken(program, text string) string {
	if program == "kaudit" {
		return text
	}
	return ourName().ReplaceAllString(text, "${1}"+program+"${2}")
}
