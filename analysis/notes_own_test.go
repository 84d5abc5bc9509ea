package analysis_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

func TestNotesSayWhatAnOwnLogWasUsedFor(t *testing.T) {
	own := told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30)
	for _, c := range []struct {
		name   string
		events []audit.Event
		want   string // kinds and a part of the text
	}{
		{"it stands in", own, "httplog: err.log has no audit events. Its 30 requests"},
		{"it does not", append(told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 40), own...), "httplog: err.log is an API server's own log. Its 30 requests (httplog) are not counted, since audit.log"},
		{"it is a copy", append(told(audit.OriginHTTPLog, "err.log", "", noon, 40), told(audit.OriginHTTPLog, "copy.log", "", noon, 30)...), "httplog: copy.log is an API server's own log. Its 30 requests (httplog) are not counted, since err.log holds the same lines."},
		{"it is a copy, with audit IDs", append(told(audit.OriginHTTPLog, "copy.log", "aaaaaaaa", noon, 40), own...), "httplog: err.log is an API server's own log. Its 30 requests (httplog) are not counted, since copy.log holds"},
		{
			"three do not", append(told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 40), slices.Concat(own, told(audit.OriginHTTPLog, "a.log", "aaaaaaaa", noon, 30), told(audit.OriginHTTPLog, "b.log", "aaaaaaaa", noon, 30))...),
			"httplog: 3 inputs are API servers' own logs: a.log, b.log and err.log. Their 90 requests together (httplog) are not counted, since audit.log",
		},
		{"it is in one log with audit events", append(told(audit.OriginAudit, "err.log", "aaaaaaaa", noon, 40), own...), ""},
		{"it stands in by times that are a guess", guessed(told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), time.Hour), "guessed-times: klog lines"},
	} {
		var got []string
		for _, note := range readInPieces(t, c.events, rand.New(rand.NewPCG(1, 0))).Facts().Notes() {
			got = append(got, note.Kind+": "+note.Text)
		}
		all := strings.Join(got, "\n")
		if !strings.Contains(all, c.want) || c.want == "" && all != "" {
			t.Errorf("%s: notes\n%s\nwant one that begins\n%s", c.name, all, c.want)
		}
	}
}

func TestWhoNeedsUsersIsBlindWhereHTTPLogStandsIn(t *testing.T) {
	asks := &analysis.Analyzer{
		Name: "asks", Needs: analysis.Needs{User: true},
		Keys: func(_ *audit.Event, keys []analysis.Key) []analysis.Key { return keys },
	}
	for _, c := range []struct {
		origin audit.Origin
		want   int
	}{{audit.OriginAudit, 0}, {audit.OriginHTTPLog, 1}} {
		s := analysis.NewShard([]*analysis.Analyzer{asks})
		for _, e := range told(c.origin, "x.log", "aaaaaaaa", noon, 3) {
			s.Observe(&e, true)
		}
		s.Settle()
		if got := s.Blind(); len(got) != c.want {
			t.Errorf("origin %d: blind %v, want %d", c.origin, got, c.want)
		}
	}
}
