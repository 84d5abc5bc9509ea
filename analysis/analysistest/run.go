package analysistest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kaudit/kaudit/analysis"
)

var (
	update = flag.Bool("update", false, "rewrite the section findings of cases")
	seed   = flag.Uint64("seed", 1, "seed of what the harness does at random; 0 takes a new one")
)

// Run proves an analyzer: every case in testdata, and the contract. newAnalyzer must
// return a new analyzer each time.
func Run(t *testing.T, newAnalyzer func() *analysis.Analyzer) {
	t.Helper()
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	t.Logf("seed %d", n)
	contract(t, newAnalyzer())
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fired, silent := 0, 0
	var all []analysis.Finding
	for _, path := range paths {
		c, err := readCase(path)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			findings := runCase(t, c, newAnalyzer(), rand.New(rand.NewPCG(n, 0)))
			if all = append(all, findings...); len(findings) > 0 {
				fired++
			} else {
				silent++
			}
		})
	}
	if fired == 0 || silent == 0 {
		t.Errorf("%d cases fire and %d stay silent: an analyzer needs one of each", fired, silent)
	}
	for _, word := range unmet(newAnalyzer(), all) {
		t.Errorf("doc.md: What to do has a paragraph for `%s`, and no case a finding for it", word)
	}
}

// unmet returns the words of remedies that fit no finding above info.
func unmet(a *analysis.Analyzer, findings []analysis.Finding) (words []string) {
	for _, remedy := range a.Remedies() {
		for _, word := range remedy.Words {
			if !slices.ContainsFunc(findings, func(f analysis.Finding) bool { return f.Severity != analysis.Info && f.Is(word) }) {
				words = append(words, word)
			}
		}
	}
	return words
}

// runCase proves one case. It returns the findings.
func runCase(t testing.TB, c *testCase, a *analysis.Analyzer, rng *rand.Rand) []analysis.Finding {
	settings, err := c.settings(a)
	if err != nil {
		t.Fatal(err)
	}
	l := law{analyzer: a, settings: settings, events: c.events, rng: rng}
	serial := l.shard(c.events)
	findings := serial.Findings(settings)
	if c.golden == nil {
		for _, wrong := range check(findings, c.wants, c.lines) {
			t.Errorf("%s: %s", c.path, wrong)
		}
	} else {
		compareGolden(t, c, findings)
	}
	ids := map[string]bool{}
	for i := range findings {
		if ids[findings[i].ID] {
			t.Errorf("%s: two findings have the id %s", c.path, findings[i].ID)
		}
		ids[findings[i].ID] = true
		for _, wrong := range invalid(&findings[i], c) {
			t.Errorf("%s: finding %q: %s", c.path, findings[i].Title, wrong)
		}
	}
	l.prove(t, serial)
	rowKeysHold(t, a, c.events)
	survive(t, a, maimed(c.events, rng))
	return findings
}

// compareGolden compares findings with the case's section findings, or writes
// it.
func compareGolden(t testing.TB, c *testCase, findings []analysis.Finding) {
	t.Helper()
	for i := range findings {
		for j := range findings[i].Evidence {
			findings[i].Evidence[j].Line++ // from 1
		}
	}
	got, err := json.MarshalIndent(findings, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		c.golden.Data = got
		if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, c.golden.Data) {
		t.Errorf("%s: findings differ (-want +got; go test -update accepts them):\n%s", c.path, cmp.Diff(string(c.golden.Data), string(got)))
	}
}

// sections are what doc.md must have, in this order.
var sections = []string{
	"## What it finds", "## Why it happens", "## How the evidence looks", "## What the audit policy must record",
	"## What it does not flag", "## Options", "## What to do",
}

// contract checks what holds of the analyzer whatever the log.
func contract(t testing.TB, a *analysis.Analyzer) {
	t.Helper()
	if err := analysis.Validate([]*analysis.Analyzer{a}); err != nil {
		t.Error(err)
	}
	rest := a.Doc
	for _, section := range sections {
		_, after, ok := strings.Cut(rest, "\n"+section+"\n")
		if !ok {
			t.Errorf("doc.md: section %q is missing, or not in its place", section)
			continue
		}
		rest = after
	}
	for _, remedy := range a.Remedies() {
		for _, wrong := range badRemedy(remedy.Text) {
			t.Errorf("doc.md: a paragraph under What to do %s: %q", wrong, remedy.Text)
		}
	}
	_, options, _ := strings.Cut(a.Doc, "\n## Options\n")
	for _, o := range a.Options {
		if !strings.Contains(options, "`"+o.Name+"`") {
			t.Errorf("doc.md: option `%s` is not described under Options", o.Name)
		}
	}
	for _, wrong := range badState(a.New()) {
		t.Errorf("state: %s", wrong)
	}
	survive(t, a, odd())
}

// maxRemedy is how many letters have room in four lines of a terminal.
const maxRemedy = 260

// badRemedy says what is wrong with what is shown beside a finding: it must
// tell in a glance, as plain text, what to do.
func badRemedy(remedy string) (wrong []string) {
	if remedy == "" {
		return []string{"is missing"}
	}
	if len(remedy) > maxRemedy {
		wrong = append(wrong, fmt.Sprintf("has %d letters, more than %d", len(remedy), maxRemedy))
	}
	if strings.Count(remedy+" ", ". ") > 2 {
		wrong = append(wrong, "has more than two sentences")
	}
	if !strings.HasSuffix(remedy, ".") || strings.ContainsAny(remedy, "|[*#") || strings.HasPrefix(remedy, "- ") {
		wrong = append(wrong, "is not plain sentences")
	}
	return wrong
}
