package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configured runs scan's flags and the configuration file together, as scan
// does, and returns them.
func configured(t *testing.T, file string, args ...string) (*scanFlags, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "kaudit.yaml")
	if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newScanFlags()
	cmd := newScan()
	cmd.ResetFlags()
	f.register(cmd)
	if err := cmd.ParseFlags(append(args, "--config", name)); err != nil {
		t.Fatal(err)
	}
	err := f.loadConfig(cmd)
	if err != nil {
		err = rename{err, strings.ReplaceAll(err.Error(), name, "kaudit.yaml")}
	}
	return f, err
}

// rename gives an error another text, so that tests need no temporary names.
type rename struct {
	error
	text string
}

func (r rename) Error() string { return r.text }
func (r rename) Unwrap() error { return r.error }

func TestTheCommandLineWinsOverTheFile(t *testing.T) {
	const file = "# how we look at our clusters\n" +
		"min-severity: info\n" +
		"min-confidence: possible\n" +
		"skip: [a, b]\n" +
		"max-line: 1MiB\n" +
		"workers: 3\n" +
		"dedupe: true\n"
	f, err := configured(t, file, "--min-severity", "critical", "--workers=1", "--skip", "c")
	if err != nil {
		t.Fatal(err)
	}
	if f.minSeverity.value != "critical" || f.workers != 1 || strings.Join(f.skip, " ") != "c" {
		t.Errorf("the file won: %s, %d, %v", f.minSeverity, f.workers, f.skip)
	}
	if f.minConfidence.value != "possible" || f.maxLine != 1<<20 || !f.dedupe {
		t.Errorf("the file was not heeded: %s, %s, %t", f.minConfidence, &f.maxLine, f.dedupe)
	}
	f, err = configured(t, file)
	if err != nil || strings.Join(f.skip, " ") != "a b" {
		t.Errorf("got %v, %v; want a b", f.skip, err)
	}
}

func TestAnEmptyConfigurationSetsNothing(t *testing.T) {
	for _, file := range []string{"", "# nothing yet\n", "---\n"} {
		if _, err := configured(t, file); err != nil {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestAnOptionMayStandBehindItsAnalyzer(t *testing.T) {
	f, err := configured(t, "set: {stuck-watch.rounds: 7}\n")
	if err != nil || f.fileSettings["stuck-watch"]["rounds"] != 7 {
		t.Errorf("got %v, %v; want 7 rounds", f.fileSettings, err)
	}
}

func TestAMistakeInTheFileIsShownWithItsLine(t *testing.T) {
	for _, c := range []struct{ file, want, hint string }{
		{"\nmin-severty: info\n", `kaudit.yaml:2: there is no key "min-severty"`, "did you mean min-severity?"},
		{"config: other.yaml\n", `kaudit.yaml:1: there is no key "config"`, `the keys are the flags that "kaudit help scan" lists`},
		{"min-severity: bad\n", "kaudit.yaml:1: min-severity bad: it must be critical, warning or info", ""},
		{"min-severity: [info, warning]\n", "kaudit.yaml:1: min-severity takes one value, not a list", ""},
		{"min-severity:\n  a: b\n", "kaudit.yaml:2: it must be a value or a list of values", ""},
		{"quiet: perhaps\n", "kaudit.yaml:1: quiet perhaps: it must be true or false", ""},
		{"workers: many\n", "kaudit.yaml:1: workers many: it must be a whole number", ""},
		{"- a\n- b\n", "kaudit.yaml:1: it must be a map", ""},
		{"set: 5\n", "kaudit.yaml:1: it must be a map", ""},
		{"set: {stuck-watch: 5}\n", "kaudit.yaml:1: set: stuck-watch: it must be a map of options", `write "set: {ANALYZER: {OPTION: VALUE}}"; options are listed by "kaudit analyzers"`},
		{"set: {stuck-watch.raunds: 5}\n", `kaudit.yaml:1: analyzer stuck-watch has no option "raunds"`, "did you mean rounds?"},
		{"min-severity:\n", "kaudit.yaml:1: it has no value", ""},
		{"min-severity: null\n", "kaudit.yaml:1: it has no value", ""},
		{"min-severity: &s info\n", "kaudit.yaml:1: anchors, aliases and tags are not supported: write the value itself", ""},
		{"skip: &s [a]\n", "kaudit.yaml:1: anchors, aliases and tags are not supported: write the value itself", ""},
		{"min-severity: !!str info\n", "kaudit.yaml:1: anchors, aliases and tags are not supported: write the value itself", ""},
		{"skip: " + strings.Repeat("[", 100_000) + "\n", "kaudit.yaml: it has 100000 brackets, and no configuration needs more than 200", ""},
		{"set:\n  no-such:\n    rounds: 5\n", `kaudit.yaml:3: there is no analyzer "no-such"`, `analyzers are listed by "kaudit explain"`},
		{"a: b\n: : :\n  -", "kaudit.yaml:2: ", ""},
	} {
		_, err := configured(t, c.file)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\ngot  %v\nwant %s", c.file, err, c.want)
			continue
		}
		if h, _ := errors.AsType[hintedError](err); h.hint != c.hint {
			t.Errorf("%q: hint %q, want %q", c.file, h.hint, c.hint)
		}
		if status := exitStatus(err); status != exitUsage {
			t.Errorf("%q: exit status %d, want %d", c.file, status, exitUsage)
		}
	}
}
