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

// TestAWrongClockMakesNoLogLast: what a log has of a moment that is far from
// all else in it is told, and does not stretch it, however it is read.
func TestAWrongClockMakesNoLogLast(t *testing.T) {
	const year = 365 * 24 * time.Hour
	body := told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 600)
	moment := func(log string, away time.Duration, n int) []audit.Event {
		return told(audit.OriginAudit, log, "bbbbbbbb", noon.Add(away), n)
	}
	first, last := audit.TimeOf(noon), audit.TimeOf(noon.Add(599*time.Second))
	for _, c := range []struct {
		name        string
		more        [][]audit.Event
		first, last audit.Time
		notes       int
	}{
		{"nothing", nil, first, last, 0},
		{"an event five years ahead", [][]audit.Event{moment("audit.log", 5*year, 1)}, first, last, 1},
		{"some of ten seconds, and of other years", [][]audit.Event{moment("audit.log", 5*year, 10), moment("audit.log", -9*year, 3), moment("audit.log", 8*year, 1)}, first, last, 3},
		{"an event an hour later", [][]audit.Event{moment("audit.log", time.Hour, 1)}, first, audit.TimeOf(noon.Add(time.Hour)), 0},
		{"a server that speaks again", [][]audit.Event{moment("audit.log", year, 30)}, first, audit.TimeOf(noon.Add(year + 29*time.Second)), 0},
		{"another log", [][]audit.Event{moment("b.log", year, 1)}, first, audit.TimeOf(noon.Add(year)), 0},
		{"a log of three servers, of which one has a wrong clock", [][]audit.Event{
			told(audit.OriginAudit, "b.log", "cccccccc", noon, 700), moment("b.log", year, 1),
		}, first, audit.TimeOf(noon.Add(699 * time.Second)), 1},
	} {
		all := slices.Clone(body)
		for _, more := range c.more {
			all = append(all, more...)
		}
		for seed := range uint64(5) {
			facts := readInPieces(t, all, rand.New(rand.NewPCG(seed, 0))).Facts()
			notes := slices.DeleteFunc(facts.Notes(), func(n analysis.Note) bool { return n.Kind != "far-time" })
			if facts.Span.First != c.first || facts.Span.Last != c.last || len(notes) != c.notes || facts.Strays() != (c.notes > 0) {
				t.Errorf("%s, read in pieces (seed %d): from %s to %s, want %s to %s; notes %v, want %d", c.name, seed, facts.Span.First, facts.Span.Last, c.first, c.last, notes, c.notes)
			}
			if span, alone := straysInPieces(all, rand.New(rand.NewPCG(seed, 1))).Span(); span.First != c.first || span.Last != c.last || !slices.Equal(alone, notes) {
				t.Errorf("%s, without other facts (seed %d): %v %v, want %s to %s and %v", c.name, seed, span, alone, c.first, c.last, notes)
			}
			for _, note := range notes {
				if !strings.Contains(note.Text, " days away from all others") || !facts.InHole(min(note.From, last), max(note.To, first)) {
					t.Errorf("%s: %s to %s: %s", c.name, note.From, note.To, note.Text)
				}
			}
		}
	}
}

// straysInPieces lets three look at the events in any order.
func straysInPieces(all []audit.Event, random *rand.Rand) *analysis.Strays {
	pieces := []*analysis.Strays{analysis.NewStrays(), analysis.NewStrays(), analysis.NewStrays()}
	for _, i := range random.Perm(len(all)) {
		pieces[random.IntN(len(pieces))].Observe(&all[i])
	}
	for _, p := range pieces[1:] {
		pieces[0].Merge(p)
	}
	return pieces[0]
}
