package stuckwatch

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

const start = audit.Time(1_767_600_000_000_000)

// watchEnd is the end of a watch of services that lived for d.
func watchEnd(from audit.Time, d time.Duration, rv int) *audit.Event {
	return &audit.Event{
		Source: "audit.log", Offset: int64(from), Stage: audit.StageResponseComplete, Verb: audit.VerbWatch, Code: 200,
		User: audit.Intern("agent"), Resource: audit.Intern("services"), AuditID: audit.View(fmt.Sprint(from)),
		URI:      audit.View(fmt.Sprintf("/api/v1/services?resourceVersion=%d&timeoutSeconds=300&watch=true", rv)),
		Received: from, At: from.Add(d),
	}
}

func TestAMillionVersionsStayBounded(t *testing.T) {
	s := newState()
	for n := range 1_000_000 {
		s.Observe(watchEnd(start.Add(time.Duration(n)*500*time.Millisecond), 400*time.Millisecond, 100+n))
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > 100_000 || s.Watches.Len() > maxCells {
		t.Errorf("%d bytes and %d cells are kept", len(raw), s.Watches.Len())
	}
	for _, track := range s.tracks() {
		if n := track.rounds(); n > 1 {
			t.Errorf("version %d was watched from once, and counts %d times", track.rv, n)
		}
	}
}

// TestStuckRoundsAreCountedAmongHealthyOnes: what makes steps grow are the
// healthy watches before and after.
func TestStuckRoundsAreCountedAmongHealthyOnes(t *testing.T) {
	s := newState()
	at := start
	round := func(rv int) {
		s.Observe(watchEnd(at, 5*time.Second, rv))
		at = at.Add(6 * time.Second)
	}
	for n := range 1000 {
		round(100 + n)
	}
	for range 500 {
		round(5000)
	}
	for n := range 1000 {
		round(6000 + n)
	}
	for _, track := range s.tracks() {
		if track.rv == 5000 && track.rounds() == 500 {
			return
		}
	}
	t.Errorf("the 500 rounds are not found among %d cells of %s", s.Watches.Len(), s.Watches.Step())
}

func TestARepeatedVersionCostsNoAllocation(t *testing.T) {
	s := newState()
	for n := range 2 * maxCells { // until every step has a watch
		s.Observe(watchEnd(start.Add(time.Duration(n)*time.Second), time.Second, 376))
	}
	e := watchEnd(start.Add(maxCells*time.Second+1), time.Second, 376)
	if n := testing.AllocsPerRun(100, func() { s.Observe(e) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
