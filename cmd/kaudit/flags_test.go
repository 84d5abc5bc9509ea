package main

import (
	"io"
	"strings"
	"syscall"
	"testing"
)

func TestSizesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]size{
		"64MiB": 64 << 20, "1KiB": 1 << 10, "1GiB": 1 << 30, "1000B": 1000, "1000": 1000,
	} {
		var got size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v; want %d", text, got, err, want)
		}
		var again size
		if err := again.Set(got.String()); err != nil || again != got {
			t.Errorf("%s is written %s and read as %d", text, got.String(), again)
		}
	}
	for _, text := range []string{"", "0", "-1", "MiB", "5TB", "2GiB", "99999999999", "1.5MiB"} {
		if err := new(size).Set(text); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
}

func TestAHintNamesTheNearestWord(t *testing.T) {
	names := []string{"stuck-watch", "endpoint-flap", "hijacked-latency"}
	for typed, want := range map[string]string{
		"stuck-wach":      "did you mean stuck-watch?",
		"stuckwatch":      "did you mean stuck-watch?",
		"endpoints-flap":  "did you mean endpoint-flap?",
		"hijack-latency":  "did you mean hijacked-latency?",
		"something-other": "see the list",
		"stcuk-watch":     "did you mean stuck-watch?",
		"endponit-falp":   "did you mean endpoint-flap?",
	} {
		if got := didYouMean(typed, names, "see the list"); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestAShortWordIsNotTakenForAnother: xml is as far from yaml as a word of
// three letters can be from one of four.
func TestAShortWordIsNotTakenForAnother(t *testing.T) {
	forms := []string{"table", "wide", "json", "yaml"}
	for typed, want := range map[string]string{"xml": "", "csv": "", "jsn": "did you mean json?", "tabel": "did you mean table?"} {
		if got := didYouMean(typed, forms, ""); got != want {
			t.Errorf("%s: got %q, want %q", typed, got, want)
		}
	}
}

// TestWordsOfOtherToolsAreKnown: error and high are as far from critical as
// words can be.
func TestWordsOfOtherToolsAreKnown(t *testing.T) {
	flags := []string{"namespace", "name", "as", "since", "until", "min-severity"}
	for typed, want := range map[string]string{"ns": "namespace", "from": "since", "severity": "min-severity"} {
		if got := didYouMean(typed, flags, ""); got != "did you mean "+want+"?" {
			t.Errorf("%s: got %q, want %s", typed, got, want)
		}
	}
	for typed, want := range map[string]string{"error": "critical", "High": "critical", "medium": "warning", "warn": "warning", "low": "info"} {
		if got := didYouMean(typed, severities, ""); got != "did you mean "+want+"?" {
			t.Errorf("%s: got %q, want %s", typed, got, want)
		}
	}
	if got := didYouMean("text", []string{"json"}, ""); got != "" {
		t.Errorf("text: got %q, where there is none", got)
	}
}

func TestFlagsOfOtherToolsAreKnown(t *testing.T) {
	for args, want := range map[string]string{
		"events -A":              "kaudit: events: there is no flag -A\nkaudit: hint: without -n, all namespaces are chosen\n",
		"top user --follow":      "kaudit: top: there is no flag --follow\nkaudit: hint: kaudit reads to the end of its input; to follow a log, pipe it in\n",
		"top user --node n1":     "kaudit: top: there is no flag --node\nkaudit: hint: --user system:node:NAME chooses what a node's kubelet asks; kaudit timeline --node NAME tells of the node\n",
		"scan --invert-match":    "kaudit: scan: there is no flag --invert-match\nkaudit: hint: !VALUE leaves out what it matches, as in --verb '!get'\n",
		"render -A":              "kaudit: render: there is no flag -A\nkaudit: hint: flags are listed by \"kaudit help render\"\n",
		"events --stage started": "kaudit: events: --stage started: it must be RequestReceived, ResponseStarted, ResponseComplete, Panic\nkaudit: hint: did you mean ResponseStarted?\n",
		"events --slower-than 1s ../../fixtures/a-stuck-metadata-same": "kaudit: events: none of 8389 events is chosen: no event fits --slower-than 1s\n" +
			"kaudit: hint: watches and other long-running requests need --long-running\n",
	} {
		var complaint strings.Builder
		run(t.Context(), "kaudit", strings.Fields(args), strings.NewReader(""), io.Discard, &complaint)
		if got := complaint.String(); got != want {
			t.Errorf("kaudit %s: got %s, want %s", args, got, want)
		}
	}
}

func TestTheHelpListsEachCommandOnce(t *testing.T) {
	listed := map[string]int{"help": 0}
	for _, g := range commandGroups {
		for _, name := range g.commands {
			listed[name]++
		}
	}
	root := newRoot()
	for _, sub := range root.Commands() {
		if n := listed[sub.Name()]; n != 1 && sub.IsAvailableCommand() {
			t.Errorf("%s is listed %d times", sub.Name(), n)
		}
		delete(listed, sub.Name())
	}
	delete(listed, "help")
	if len(listed) > 0 {
		t.Errorf("no such commands: %v", listed)
	}
}

func TestAFlagTakesNoEmptyText(t *testing.T) {
	for _, args := range []string{
		"scan --since=", "scan --until=", "scan --around=", "scan --where=", "scan --jq=", "scan --config=", "scan --rejects=",
		"scan --analyzers=", "scan --skip=", "scan --set=", "scan --format=", "scan --output=", "scan --user=",
		"timeline --node=", "timeline --finding=", "completion bash --file=", "scan --workers=0", "events --name=,", "top user --code=",
	} {
		var complaint strings.Builder
		if status := run(t.Context(), "kaudit", strings.Fields(args), strings.NewReader(""), io.Discard, &complaint); status != exitUsage {
			t.Errorf("%s: exit status %d, want %d; %s", args, status, exitUsage, &complaint)
		}
	}
}

func TestHelpThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, args := range []string{"--help", "help scan", "scan --help", ""} {
		if status := run(t.Context(), "kaudit", strings.Fields(args), nil, full{}, io.Discard); status != exitFailure {
			t.Errorf("kaudit %s: exit status %d, want %d", args, status, exitFailure)
		}
	}
}

// TestAnAnswerThatCanNotBeWrittenFailsOnce: each command that reads a log says
// once that the disk is full.
func TestAnAnswerThatCanNotBeWrittenFailsOnce(t *testing.T) {
	const log = "../../fixtures/cases/041-apiserver-crash-mid-line/input.jsonl.gz"
	for _, args := range []string{
		"scan -q " + log, "scan -o html -q " + log, "formats -q " + log, "events -q " + log, "events -q -o json " + log, "events -q -o raw " + log,
		"top user -q " + log, "timeline -q --verb watch,update,delete " + log,
	} {
		var told strings.Builder
		status := run(t.Context(), "kaudit", strings.Fields(args), nil, full{}, &told)
		if want := syscall.ENOSPC.Error() + "\n"; status != exitFailure || strings.Count(told.String(), "\n") != 1 || !strings.HasSuffix(told.String(), want) {
			t.Errorf("kaudit %s: status %d, and\n%s", args, status, told.String())
		}
	}
}

// A full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestATerminalGetsNoControlCharacters(t *testing.T) {
	if got, want := harmless("a\x1b[2J\tb\u202ec\nd\u009b"), "a\ufffd[2J\tb\ufffdc\nd\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAMistakeInTheCommandLineHasAHint(t *testing.T) {
	for args, want := range map[string]string{
		"scan --json":  "hint: did you mean --output json?",
		"events --raw": "hint: did you mean --output raw?",
		"who deleted testdata/script testdata flags_test.go": "hint: quote a pattern such as",
		"top user --csv":                                `hint: flags are listed by "kaudit help top"`,
		"timeline pod/web --node n1":                    "pod/web can't be combined with --node or --finding: they are two subjects",
		"timeline --node n1 logs/audit.log --workers 0": "--workers 0",
		"timeline svc/web --finding panic/1":            "svc/web can't be combined with --node or --finding: they are two subjects",
	} {
		var complaint strings.Builder
		if status := run(t.Context(), "kaudit", strings.Fields(args), strings.NewReader(""), io.Discard, &complaint); status != exitUsage || !strings.Contains(complaint.String(), want) {
			t.Errorf("%s: exit status %d, %s; want %d, %s", args, status, &complaint, exitUsage, want)
		}
	}
}

func TestHelpFitsATerminal(t *testing.T) {
	for _, sub := range newRoot().Commands() {
		var text strings.Builder
		if status := run(t.Context(), "kaudit", []string{"help", sub.Name()}, nil, &text, io.Discard); status != exitOK {
			t.Errorf("help %s: exit status %d", sub.Name(), status)
		}
		for line := range strings.Lines(text.String()) {
			if command := strings.HasPrefix(line, "  k"); !command && len(line) > 81 {
				t.Errorf("help %s has a line of %d columns: %s", sub.Name(), len(line)-1, line)
			}
		}
	}
}
