package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAJoinedFindingHasWhatItsMembersHaveInCommon(t *testing.T) {
	members := []Finding{
		{
			Severity: Warning, Title: "a", Count: 2, First: 100, Last: 200, Subject: Subject{User: "ann", Resource: "pods"},
			Caveats: []string{"maybe"}, Details: Details{"kind": "x"}, Marks: []Mark{{From: 100, To: 200, N: 2}}, Evidence: []Evidence{{Line: 1}, {Line: 2}},
		},
		{
			Severity: Info, Title: "b", Count: 3, First: 50, Last: 150, Subject: Subject{User: "bob", Resource: "pods"},
			Marks: []Mark{{From: 50, To: 150, N: 3}}, Evidence: []Evidence{{Line: 7}},
		},
	}
	want := Finding{
		Severity: Warning, Count: 5, First: 50, Last: 200, Subject: Subject{Resource: "pods"},
		Marks: []Mark{{From: 100, To: 200, N: 2}, {From: 50, To: 150, N: 3}}, Evidence: []Evidence{{Line: 1}, {Line: 7}},
	}
	if diff := cmp.Diff(want, Join(members)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if members[0].Count != 2 || len(members[0].Evidence) != 2 || members[0].Title != "a" {
		t.Errorf("the first member was changed: %+v", members[0])
	}
}
