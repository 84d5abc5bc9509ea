package kaudit_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the output blocks of README.md and docs/ with what the commands print")

// TestDocumentsShowWhatCommandsPrint runs every line that begins with
// "$ kaudit" in a console block of README.md and docs/*.md, from the
// repository's root, and compares what it prints with what the block shows. A
// document that is not run is soon wrong.
func TestDocumentsShowWhatCommandsPrint(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/kaudit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, document := range append(documents, "README.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		got := rerun(string(text), func(command string) string {
			ran++
			return run(bin, command)
		})
		if *update {
			if err := os.WriteFile(document, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(text) {
			t.Errorf("%s shows other output than its commands print (go test . -update rewrites it):\n%s", document, firstDifference(string(text), got))
		}
	}
	if ran == 0 {
		t.Error("no document shows a command")
	}
}

// rerun returns text with the output below each command line of its console
// blocks replaced.
func rerun(text string, run func(command string) string) string {
	var out strings.Builder
	inBlock, inOutput := false, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock, inOutput = strings.HasPrefix(line, "```console"), false
		case inBlock && strings.HasPrefix(line, "$ kaudit "):
			inOutput = true
			out.WriteString(line)
			out.WriteString(run(strings.TrimSpace(line[2:])))
			continue
		case inBlock && strings.HasPrefix(line, "$ "):
			inOutput = false
		}
		if !inOutput {
			out.WriteString(line)
		}
	}
	return out.String()
}

func run(bin, command string) string {
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "NO_COLOR=1", "COLUMNS=")
	out, err := cmd.CombinedOutput()
	text := strings.TrimRight(string(out), "\n") + "\n"
	if exit, ok := err.(*exec.ExitError); ok && !strings.Contains(command, "|") {
		text += "[exit status " + strings.TrimPrefix(exit.Error(), "exit status ") + "]\n"
	}
	return text
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "line " + w[i] + "\nis now " + g[i]
		}
	}
	return "one is longer"
}
