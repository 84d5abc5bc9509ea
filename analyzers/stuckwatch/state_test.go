package stuckwatch

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
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

func TestWhatNarrowsAScope(t *testing.T) {
	for _, c := range []struct{ query, object, name, selector string }{
		{"watch=true&resourceVersion=1", "", "", ""},
		{"watch=true", "web", "web", ""}, // of the deprecated /watch/ path
		{"fieldSelector=metadata.name%3Dweb&watch=true", "web", "web", ""},
		{"fieldSelector=metadata.name%3Dweb&watch=true", "", "web", ""}, // an old server leaves the name out
		{"fieldSelector=metadata.name=web", "", "web", ""},
		{"fieldSelector=metadata.name%3D%3Dweb", "", "web", ""},
		{"fieldSelector=metadata.name%21%3Dweb", "", "", "metadata.name%21%3Dweb"},
		{"fieldSelector=metadata.name%3Dweb%2Cspec.nodeName%3Dn1", "web", "", "metadata.name%3Dweb%2Cspec.nodeName%3Dn1"},
		{"fieldSelector=metadata.name%3Dweb&labelSelector=app", "web", "", "metadata.name%3Dweb&app"},
		{"fieldSelector=metadata.namespace%3Dweb", "", "", "metadata.namespace%3Dweb"},
		{"labelSelector=app%3Dweb&watch=true", "", "", "app%3Dweb"},
		{"labelSelector=&fieldSelector=&watch=true", "", "", ""},
		{"", "", "", ""},
	} {
		e := audit.Event{URI: audit.View("/api/v1/services?" + c.query), Name: audit.View(c.object)}
		name, selector := selected(&e)
		if name != c.name || selector.String() != c.selector {
			t.Errorf("%s: got name %q, selector %q; want %q, %q", c.query, name, selector, c.name, c.selector)
		}
	}
}

func TestKeysCostNoAllocation(t *testing.T) {
	keep := audit.Intern("app%3Dweb")
	e := watchEnd(start, time.Second, 376)
	e.URI = audit.View("/api/v1/services?labelSelector=app%3Dweb&resourceVersion=376&watch=true")
	room := make([]analysis.Key, 0, 1)
	if n := testing.AllocsPerRun(100, func() { keys(e, room) }); n != 0 {
		t.Errorf("%v allocations for a watch with selector %s, want 0", n, keep)
	}
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
