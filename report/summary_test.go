package report

import (
	"slices"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

func TestANoteWithinASecondHasOneTime(t *testing.T) {
	at := audit.TimeOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	got := noteTexts([]analysis.Note{
		{Kind: "watches-cut", From: at, To: at.Add(time.Second / 2), Text: "a"},
		{Kind: "watches-cut", From: at, To: at.Add(2 * time.Second), Text: "b"},
	})[0].Texts
	want := []string{"2026-01-05T09:00:00Z: a", "2026-01-05T09:00:00Z to 2026-01-05T09:00:02Z: b"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
