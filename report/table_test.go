package report_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/report"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; go test ./report -update rewrites it):\n%s", name, diff)
	}
}

func table(t *testing.T, r *report.Report, o report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Table(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func withOptions(write func(io.Writer, *report.Report, report.Options) error) func(io.Writer, *report.Report) error {
	return func(w io.Writer, r *report.Report) error { return write(w, r, report.Options{}) }
}

func TestEveryFormIsAsItWas(t *testing.T) {
	as := func(o report.Options) func(io.Writer, *report.Report) error {
		return func(w io.Writer, r *report.Report) error { return report.Table(w, r, o) }
	}
	for _, c := range []struct {
		file  string
		write func(io.Writer, *report.Report) error
	}{
		{"table_80.txt", as(report.Options{})},
		{"table_200.txt", as(report.Options{Width: 200})},
		{"table_color.txt", as(report.Options{Width: 80, Color: true, Quiet: true})},
		{"wide_200.txt", as(report.Options{Width: 200, Wide: true, MinSeverity: "info", MinConfidence: "possible"})},
		{"page.html", withOptions(report.HTML)},
		{"report.md", withOptions(report.Markdown)},
		{"report.json", report.JSON},
		{"report.yaml", report.YAML},
	} {
		var out bytes.Buffer
		if err := c.write(&out, synthetic()); err != nil {
			t.Fatal(err)
		}
		golden(t, c.file, out.Bytes())
	}
}

func TestDisorderIsToldWhereThereIsSome(t *testing.T) {
	for events, want := range map[int64]bool{0: false, 1: true} {
		r := synthetic()
		r.Input.OutOfOrder = events
		if got := strings.Contains(table(t, r, report.Options{Wide: true}), "Disorder"); got != want {
			t.Errorf("%d events out of order: told is %v, want %v", events, got, want)
		}
	}
}

func TestAPlaceIsNeverBroken(t *testing.T) {
	r := synthetic()
	for i := range r.Findings {
		for j := range r.Findings[i].Evidence {
			r.Findings[i].Evidence[j].Source = "/var/log/all the clusters/kube-apiserver/" + strings.Repeat("deep/", 20) + "audit.log"
		}
	}
	place := regexp.MustCompile(`(^|…| )/.*/audit\.log:\d+( |$)`)
	for _, o := range []report.Options{{Width: 30}, {Width: 60}, {Width: 80}, {Width: 200}, {Width: 140, Wide: true}} {
		o.Quiet, o.MinSeverity, o.MinConfidence = true, "info", "possible"
		text := table(t, r, o)
		_, findings, _ := strings.Cut(text, "Findings\n")
		if findings, _, _ = strings.Cut(findings, "Evidence\n"); !strings.Contains(findings, "log:101\n") {
			t.Errorf("no place in\n%s", findings)
		}
		_, evidence, wide := strings.Cut(text, "Evidence\n")
		if wide && !strings.Contains(evidence, "    "+r.Findings[0].Evidence[0].Source+":") {
			t.Errorf("the evidence does not name its whole place:\n%s", evidence)
		}
		for line := range strings.Lines(evidence) {
			if strings.Contains(line, "deep/") && !place.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("a place is broken: %s", line)
			}
		}
	}
}
