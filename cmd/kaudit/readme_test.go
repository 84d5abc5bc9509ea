package main

import (
	"os"
	"strings"
	"testing"
)

const (
	tableBegin = "<!-- analyzers: written by go test ./cmd/kaudit -update -->\n"
	tableEnd   = "<!-- /analyzers -->\n"
)

func TestReadmeListsTheAnalyzers(t *testing.T) {
	const name = "../../README.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	got, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks of the table", name)
	}
	want := "| analyzer | finds | needs |\n|---|---|---|\n"
	all, err := describeAll(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		want += "| `" + d.Name + "` | " + strings.ReplaceAll(d.Summary, "|", `\|`) + " | " + d.Needs.String() + " |\n"
	}
	switch {
	case *update:
		if err := os.WriteFile(name, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("the table of analyzers is not current: go test ./cmd/kaudit -update\ngot:\n%s\nwant:\n%s", got, want)
	}
}
