package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report"
)

func TestRemediesAreKeptOfAnalyzersThatFoundAFault(t *testing.T) {
	want := map[string]string{"heartbeat-gap": "Look at what the nodes share.", "stuck-watch": "Restart the client."}
	if diff := cmp.Diff(want, synthetic().Remedies); diff != "" {
		t.Errorf("remedies (-want +got):\n%s", diff)
	}
}

func TestAFindingThatNoIncidentTellsOfHasItsRemedy(t *testing.T) {
	forms := map[string]func(*report.Report, report.Options) string{
		"table":    func(r *report.Report, o report.Options) string { return table(t, r, o) },
		"HTML":     func(r *report.Report, o report.Options) string { return asHTML(t, r, o) },
		"Markdown": func(r *report.Report, o report.Options) string { return asMarkdown(t, r, o) },
	}
	const lonely, told = "Look at what the nodes share.", "Restart the client."
	saved := synthetic()
	saved.Remedies = nil
	alone := report.New(report.Report{
		Findings: []analysis.Finding{stuckWatch()}, Remedies: map[string]string{"stuck-watch": told},
	}, report.Options{})
	for _, c := range []struct {
		name string
		r    *report.Report
		o    report.Options
		want []string
	}{
		{"of no incident", synthetic(), all, []string{lonely}},
		{"hidden", synthetic(), report.Options{}, nil},
		{"no incident at all", alone, report.Options{}, []string{told}},
		{"saved without remedies", saved, all, nil},
	} {
		for form, show := range forms {
			got := show(c.r, c.o)
			for _, text := range []string{lonely, told} {
				want := 0
				if len(c.want) == 1 && c.want[0] == text {
					want = 1
				}
				if n := strings.Count(got, text); n != want {
					t.Errorf("%s: the %s says %q %d times, want %d", c.name, form, text, n, want)
				}
			}
		}
	}
}
