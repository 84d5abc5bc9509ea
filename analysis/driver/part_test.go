package driver_test

import (
	"bytes"
	"hash/fnv"
	"regexp"
	"testing"

	"github.com/kaudit/kaudit/analysis"
)

// only returns the change that leaves out the lines of which keep is false.
func only(keep func(n int, line []byte) bool) change {
	return func(log []byte) (kept []byte) {
		n := 0
		for line := range bytes.Lines(log) {
			if n++; keep(n, line) {
				kept = append(kept, line...)
			}
		}
		return kept
	}
}

func has(text string) func(int, []byte) bool {
	pattern := regexp.MustCompile(text)
	return func(_ int, line []byte) bool { return pattern.Match(line) }
}

func hasNot(text string) func(int, []byte) bool {
	is := has(text)
	return func(n int, line []byte) bool { return !is(n, line) }
}

var auditID = regexp.MustCompile(`"auditID":"[^"]*"`)

// Policies leave stages out, filters pass on some lines, disks lose others: what is
// left can be reported, whatever a state has not seen. A healthy log stays one.
func TestAnyPartOfALogCanBeReported(t *testing.T) {
	healthy := map[string]bool{"f-big-normal-metadata": true, "x-truncated-batch": true}
	for _, part := range []struct {
		name  string
		odd   bool // no policy and no loss leaves just this
		lines func(n int, line []byte) bool
	}{
		{"every second line", false, func(n int, _ []byte) bool { return n%2 == 0 }},
		{"half of the requests", false, func(_ int, line []byte) bool {
			h := fnv.New32a()
			h.Write(auditID.Find(line))
			return h.Sum32()%2 == 0
		}},
		{"no RequestReceived", false, hasNot(`"stage":"RequestReceived"`)},
		{"no ResponseStarted", false, hasNot(`"stage":"ResponseStarted"`)},
		{"no ResponseComplete", false, hasNot(`"stage":"ResponseComplete"`)},
		{"ends alone", false, has(`"stage":"ResponseComplete"`)},
		{"beginnings alone", false, has(`"stage":"RequestReceived"`)},
		{"failures alone", true, has(`"code":[45]`)},
		{"watches alone", true, has(`"verb":"watch"`)},
		{"refused watches alone", true, has(`"verb":"watch".*"code":4`)},
	} {
		for folder, names := range changeable(t) {
			for _, f := range found(t, names, only(part.lines)) {
				if f.First > f.Last || len(f.Evidence) == 0 || f.Title == "" {
					t.Errorf("%s of %s: a finding without proof: %+v", part.name, folder, f)
				}
				if healthy[folder] && !part.odd && f.Severity.Rank() > analysis.Info.Rank() && f.Confidence != analysis.Possible {
					t.Errorf("%s of %s: a %s %s finding: %s", part.name, folder, f.Severity, f.Confidence, f.Title)
				}
			}
		}
	}
}
