package analysis

import (
	"fmt"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// asks adds n requests of a user under an agent to f, from a second on.
func asks(f *Facts, n int, user, agent string, second audit.Time) {
	for i := range n {
		at := 1_767_600_000_000_000 + second*1e6 + audit.Time(i)
		f.Observe(&audit.Event{
			Log: "audit.log", Stage: audit.StageResponseComplete, Verb: audit.VerbGet, Code: 200, Resource: audit.Intern("pods"),
			User: audit.Intern(user), UserAgent: audit.Intern(agent), Received: at, At: at,
		}, true)
	}
}

func TestAShareIsWhoAskedInAMinute(t *testing.T) {
	f := NewFacts()
	asks(f, 5, "argo", "argo/v1", 0)
	asks(f, 4, "ci", "kubectl/v1", 10)
	asks(f, 3, "ci", "helm/v3", 20)
	from := audit.Time(1_767_600_000_000_000)
	s := f.SharesWithin(from, from+59e6)
	if s.All != 12 || !s.Exact || s.Top.String() != "ci" || s.TopCount != 7 {
		t.Errorf("got %+v", s)
	}
	if n, known := s.Of(audit.Intern("ci"), audit.Intern("helm/v3")); n != 3 || !known {
		t.Errorf("ci made %d requests with helm, known %t, want 3", n, known)
	}
	if again := f.SharesWithin(from, from+59e6); again != s {
		t.Error("the same question is worked out twice")
	}
	asks(f, 9, "argo", "argo/v1", 30)
	if s := f.SharesWithin(from, from+59e6); s.All != 21 || s.Top.String() != "argo" {
		t.Errorf("more events were seen since: got %+v", s)
	}
}

// TestAShareOfManySaysWhoseRequestsAreKnown has each of many clients ask once in each of
// two minutes.
func TestAShareOfManySaysWhoseRequestsAreKnown(t *testing.T) {
	f := NewFacts()
	for i := range 2 * maxSeries {
		asks(f, 1, fmt.Sprint("user-", i), "kubectl/v1", 0)
		asks(f, 1, fmt.Sprint("user-", i), "kubectl/v1", 60)
	}
	f.settle()
	from := audit.Time(1_767_600_000_000_000)
	s := f.SharesWithin(from, from+59e6)
	if s.Exact || s.All < 2*maxSeries {
		t.Errorf("exact %t, all %d, want not exact, and all %d requests at least", s.Exact, s.All, 2*maxSeries)
	}
	sure := 0
	for i := range 2 * maxSeries {
		switch n, known := s.Of(audit.Intern(fmt.Sprint("user-", i)), audit.Intern("kubectl/v1")); {
		case known && n == 1:
			sure++
		case known || n != 2:
			t.Fatalf("user-%d made %d requests, known %t, want 1, or at most 2", i, n, known)
		}
	}
	if sure != maxSeries {
		t.Errorf("the requests of %d clients are known, want %d", sure, maxSeries)
	}
}

// TestRequestsOfAnyOfManyClientsAreKnownOrEstimated has each of many clients ask twice a
// minute for ten minutes, and then no more.
func TestRequestsOfAnyOfManyClientsAreKnownOrEstimated(t *testing.T) {
	f := NewFacts()
	for i := range 2 * maxSeries {
		for half := range 20 {
			asks(f, 1, fmt.Sprint("user-", i), "kubectl/v1", audit.Time(30*half))
		}
	}
	f.settle()
	from := audit.Time(1_767_600_000_000_000)
	for i := range 2 * maxSeries {
		c := Client{User: audit.Intern(fmt.Sprint("user-", i)), UserAgent: audit.Intern("kubectl/v1")}
		if n, known := f.RequestsWithin(c, from+60e6, from+239e6); !known || n < 6 || n > 8 {
			t.Fatalf("user-%d made %d requests in 3 minutes, known %t, want some 6", i, n, known)
		}
		if n, known := f.RequestsWithin(c, from+1200e6, from+1800e6); !known || n != 0 {
			t.Fatalf("user-%d made %d requests after its last one, known %t", i, n, known)
		}
		if !f.Heard(c, from+60e6, from+119e6) || f.Heard(c, from+1200e6, from+1800e6) {
			t.Fatalf("user-%d was not heard when it asked, or later", i)
		}
	}
}
