package report_test

import (
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report"
)

func TestAFindingThatNoIncidentTellsOfHasItsRemedy(t *testing.T) {
	forms := map[string]func(*report.Report, report.Options) string{
		"table":    func(r *report.Report, o report.Options) string { return table(t, r, o) },
		"HTML":     func(r *report.Report, o report.Options) string { return asHTML(t, r, o) },
		"Markdown": func(r *report.Report, o report.Options) string { return asMarkdown(t, r, o) },
	}
	const lonely, told = "Look at what the nodes share.", "Restart the client."
	saved := synthetic()
	for i := range saved.Findings {
		saved.Findings[i].Remedy = ""
	}
	alone := report.New(report.Report{Findings: []analysis.Finding{stuckWatch()}}, report.Options{})
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

func TestARemedyIsSaidOnce(t *testing.T) {
	r := synthetic()
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Remedy != "" {
			other := *f
			other.ID += "0"
			r.Findings = append(r.Findings, other)
			third := *f
			third.ID, third.Remedy = f.ID+"1", "Or do something else."
			r.Findings = append(r.Findings, third)
		}
	}
	r.Incidents = nil
	for form, got := range map[string]string{"table": table(t, r, all), "HTML": asHTML(t, r, all), "Markdown": asMarkdown(t, r, all)} {
		for _, text := range []string{"Restart the client.", "Look at what the nodes share."} {
			if n := strings.Count(got, text); n != 1 {
				t.Errorf("the %s says %q %d times, want once", form, text, n)
			}
		}
		if n := strings.Count(got, "Or do something else."); n != 2 {
			t.Errorf("the %s says what else to do %d times, want once for each of two analyzers", form, n)
		}
	}
}
