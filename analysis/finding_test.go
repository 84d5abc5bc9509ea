package analysis

import (
	"encoding/json"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestFindingsAreOrderedWorstSurestEarliestFirst(t *testing.T) {
	findings := []Finding{
		{Title: "5", Severity: Info, Confidence: Confirmed, First: 1},
		{Title: "2", Severity: Critical, Confidence: Confirmed, First: 2},
		{Title: "4", Severity: Warning, Confidence: Likely, First: 1},
		{Title: "3", Severity: Critical, Confidence: Likely, First: 1},
		{Title: "1", Severity: Critical, Confidence: Confirmed, First: 1},
	}
	SortFindings(findings)
	got := ""
	for _, f := range findings {
		got += f.Title
	}
	if got != "12345" {
		t.Errorf("order %s, want 12345", got)
	}
}

func TestEvidenceIsInOrderOfTimeWithoutRepeats(t *testing.T) {
	early := audit.Ref{Time: 1, Source: "a", Offset: 10}
	late := audit.Ref{Time: 2, Source: "a", Offset: 5}
	got := Cite(late, early, late)
	if len(got) != 2 || got[0].Offset != 10 || got[1].Offset != 5 {
		t.Errorf("got %v", got)
	}
}

func TestCoarsenKeepsWhatMarksStandFor(t *testing.T) {
	var marks []Mark
	for i := range audit.Time(1001) {
		marks = append(marks, Mark{Kind: "round", From: 10 * i, To: 10*i + 5, N: 1})
	}
	marks = append(marks, Mark{Kind: "outage", From: 3, To: 4, N: 1})
	got := Coarsen(marks)
	n := 0
	for _, m := range got {
		n += m.N
	}
	if len(got) > MaxMarks || n != 1002 {
		t.Errorf("%d marks stand for %d, want at most %d for 1002", len(got), n, MaxMarks)
	}
	if last := got[len(got)-1]; last.To != 10005 {
		t.Errorf("the last mark ends at %d, want 10005", int64(last.To))
	}
}

func TestDetailsReadTheSameFromJSON(t *testing.T) {
	d := Details{"rounds": 45, "big": int64(1) << 40, "gapSeconds": 1.5, "kind": "same-rv"}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var again Details
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	for _, d := range []Details{d, again} {
		if d.Int("rounds") != 45 || d.Int("big") != 1<<40 || d.Float("gapSeconds") != 1.5 || d.Text("kind") != "same-rv" {
			t.Errorf("got %v", d)
		}
		if d.Int("kind") != 0 || d.Text("rounds") != "" || d.Float("absent") != 0 {
			t.Errorf("a value of another type was read from %v", d)
		}
	}
}
