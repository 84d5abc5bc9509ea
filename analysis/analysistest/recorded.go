package analysistest

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
)

// Recorded runs an analyzer over every recorded log, as the driver does: those
// in fixtures, and the whole recordings beside the repository, where they are.
// expected has wants (see the package comment) by the name of the recording's
// folder. Every finding must be wanted and every want met; a folder without
// wants asserts silence. Of a recording of which fixtures has a part, the whole
// may have wants of its own, below whole/ and the folder's name.
func Recorded(t *testing.T, newAnalyzer func() *analysis.Analyzer, expected map[string][]string) {
	t.Helper()
	recordings := map[string][]*parser.Log{}
	for _, name := range recordedFiles(t, fixtures.FS) {
		data, err := fixtures.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		group := recordingOf(name)
		recordings[group] = append(recordings[group], parser.NewLog(name, bytes.NewReader(data)))
	}
	const beside = "../../../shared/lab"
	whole := map[string][]string{}
	for _, name := range recordedFiles(t, os.DirFS(beside)) {
		group := path.Join("whole", recordingOf(name))
		whole[group] = append(whole[group], filepath.Join(beside, filepath.FromSlash(name)))
	}
	for group, files := range whole {
		recordings[group] = parser.Find(files, nil).Logs
	}
	met := map[string]bool{}
	for group, logs := range recordings {
		folder, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(group, "whole/"), "cases/"), "/")
		met[folder] = true
		t.Run(group, func(t *testing.T) {
			var wants []want
			texts, apart := expected["whole/"+folder]
			if !apart || !strings.HasPrefix(group, "whole/") {
				texts = expected[folder]
			}
			for _, text := range texts {
				parsed, err := parseWants(0, strings.Join(strings.Fields(text), " "))
				if err != nil {
					t.Fatal(err)
				}
				wants = append(wants, parsed...)
			}
			result := driver.Run(background, logs, driver.Options{Analyzers: []*analysis.Analyzer{newAnalyzer()}})
			for _, wrong := range check(result.Findings, wants, nil) {
				t.Error(wrong)
			}
		})
	}
	for folder := range expected {
		if !met[strings.TrimPrefix(folder, "whole/")] {
			t.Errorf("there is no recording %q", folder)
		}
	}
}

// recordedFiles lists the audit logs of a tree of recordings, in order.
func recordedFiles(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if name == "." && err != nil {
			return nil // there is no such tree here
		}
		base := path.Base(name)
		if err == nil && !d.IsDir() && path.Dir(name) != "." && (strings.Contains(base, ".log") || strings.Contains(base, ".jsonl")) &&
			!strings.Contains(base, "stderr") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// recordingOf names the recording that a file is of: its folder, or the file
// itself where a folder holds one run in several shapes.
func recordingOf(name string) string {
	parts := strings.Split(name, "/")
	switch {
	case parts[0] == "cases":
		return path.Join(parts[:2]...)
	case strings.HasPrefix(parts[0], "g-"):
		return name
	}
	return parts[0]
}
