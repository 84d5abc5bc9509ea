package tally_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

func TestALineMakesTheReferenceOfItsEvent(t *testing.T) {
	e := audit.Event{
		Source: "audit.log", Offset: 812, Line: 3, Stage: audit.StageResponseComplete, Code: 200,
		Verb: audit.VerbWatch, User: audit.Intern("kcm"), Resource: audit.Intern("services"), AuditID: audit.View("id"),
		URI: audit.View("/api/v1/services?resourceVersion=376"), Received: 1_000_000, At: 8_000_000,
	}
	var l tally.Line
	l.Set(&e)
	about := audit.Event{Verb: e.Verb, User: e.User, Resource: e.Resource, URI: e.URI, Received: e.Received}
	if got, want := l.Ref(about), e.Ref(); got != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestALineIsOfTheLatestStageWhateverComesFirst(t *testing.T) {
	events := []audit.Event{
		{Source: "b", Stage: audit.StageRequestReceived, At: 1},
		{Source: "b", Stage: audit.StageResponseComplete, At: 9},
		{Source: "a", Stage: audit.StageResponseComplete, At: 9},
	}
	for first := range events {
		for second := range events {
			for third := range events {
				var l, one tally.Line
				l.Offer(&events[first])
				l.Offer(&events[second])
				one.Offer(&events[third])
				l = l.Better(one)
				want := "b"
				if first == 2 || second == 2 || third == 2 {
					want = "a"
				}
				all := first != 0 || second != 0 || third != 0
				if l.Source() != want || (l.Stage() == audit.StageResponseComplete) != all {
					t.Errorf("events %d, %d, %d: got %v", first, second, third, l)
				}
			}
		}
	}
}
