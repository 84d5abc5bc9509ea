package analysis

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kaudit/kaudit/audit"
)

// TestTheWorstFindingsAreKept: of more findings than anyone reads those with
// the highest counts stay, and the others are counted.
func TestTheWorstFindingsAreKept(t *testing.T) {
	s := NewShard([]*Analyzer{counting()})
	for i := range maxFindings + 50 {
		for range 2 + i/maxFindings {
			s.Observe(&audit.Event{Name: audit.View(fmt.Sprintf("n%04d", i)), Stage: audit.StageResponseComplete, At: 1}, true)
		}
	}
	found, more, whole := s.Conclude(nil, func() bool { return false }, inTurn)
	if len(found) != maxFindings || more["counting"] != 50 || !whole {
		t.Fatalf("%d findings are kept, %v left out, whole: %t", len(found), more, whole)
	}
	worst := 0
	for _, f := range found {
		if f.Count == 3 {
			worst++
		}
	}
	if worst != 50 {
		t.Errorf("%d of the 50 worst are kept", worst)
	}
}

func TestFindingsEndWhenAsked(t *testing.T) {
	asked := 0
	found, _, whole := named("a", "a", "b", "b", "c", "c").Conclude(nil, func() bool { asked++; return asked > 2 }, inTurn)
	if whole || len(found) != 2 {
		t.Errorf("%d findings, whole: %t; want the two that were made before", len(found), whole)
	}
}

// TestConcludeLetsGoOfStates: findings are made when memory is fullest.
func TestConcludeLetsGoOfStates(t *testing.T) {
	s := named("a", "b", "c")
	s.Conclude(nil, func() bool { return false }, inTurn)
	for _, row := range s.books[0].rows {
		if row.value != nil {
			t.Errorf("the state of %s is still there", row.key.Name)
		}
	}
}

func TestATextOfAFindingHasAnEnd(t *testing.T) {
	long := strings.Repeat("é", 5<<20)
	f := Finding{
		Title: long, Subject: Subject{User: long, UserAgent: long, Name: long}, Caveats: []string{long},
		Details: Details{"command": long, "nodes": []string{long}, "n": 3}, Evidence: []Evidence{{Summary: long, AuditID: long}},
	}
	f.bound()
	text := fmt.Sprint(f)
	if most := 10 * (maxText + 100); len(text) > most || !utf8.ValidString(text) {
		t.Errorf("%d bytes of text are left; want %d at most, and whole characters", len(text), most)
	}
	if f.Details["n"] != 3 || !strings.HasSuffix(f.Title, "bytes left out]") {
		t.Errorf("got details %v, title ...%s", f.Details["n"], f.Title[len(f.Title)-30:])
	}
	if short := cut("short"); short != "short" {
		t.Errorf("got %q", short)
	}
}
