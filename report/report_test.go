package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/report"
)

func asJSON(t *testing.T, r *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func read(t *testing.T, text string) *report.Report {
	t.Helper()
	r, err := report.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatWasWrittenAndReadIsWrittenTheSame(t *testing.T) {
	r := synthetic()
	r.Findings[0].Details["large"] = int64(1)<<62 + 1
	r.Findings[0].Details["nested"] = map[string]any{"list": []any{1, 1.5, "two", nil, true}, "huge": 1e300}
	r.Findings[0].Title = "invalid \xff, replaced \ufffd, turned \u202e, escape \x1b[31m, beyond \U000e0001 \u2028 <b>&amp;"
	first := asJSON(t, r)
	if second := asJSON(t, read(t, first)); second != first {
		t.Errorf("write, read, write (-first +second):\n%s", cmp.Diff(first, second))
	}
}

func TestASavedReportTellsTheSameIncidentsAndTable(t *testing.T) {
	r := synthetic()
	saved := read(t, asJSON(t, r))
	if diff := cmp.Diff(r.Incidents, incident.Find(saved.Findings, saved.Input.Since)); diff != "" {
		t.Errorf("incidents (-scan +saved):\n%s", diff)
	}
	o := report.Options{Wide: true, MinSeverity: analysis.Info, MinConfidence: analysis.Possible}
	if diff := cmp.Diff(table(t, r, o), table(t, saved, o)); diff != "" {
		t.Errorf("table (-scan +saved):\n%s", diff)
	}
}

func TestReadRefusesWhatIsNoReport(t *testing.T) {
	good := asJSON(t, synthetic())
	for _, c := range []struct{ text, want string }{
		{"", "read a report: line 1: EOF"},
		{`{"kind":"Event","apiVersion":"audit.k8s.io/v1"}`, `this is an audit log`},
		{strings.Replace(good, `"critical"`, `"awful"`, 1), `has the severity "awful"`},
		{good[:len(good)/2], "unexpected EOF"},
	} {
		_, err := report.Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("reading %.40q: got error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestMinimaHideFromTheTableAndCountOnce(t *testing.T) {
	var findings []analysis.Finding
	for _, s := range []analysis.Severity{analysis.Critical, analysis.Warning, analysis.Info} {
		for _, c := range []analysis.Confidence{analysis.Confirmed, analysis.Likely, analysis.Possible} {
			for _, analyzer := range []string{"panic", "hijacked-latency"} {
				findings = append(findings, analysis.Finding{Analyzer: analyzer, Severity: s, Confidence: c})
			}
		}
	}
	for _, c := range []struct {
		name   string
		o      report.Options
		shown  int
		hidden report.Hidden
	}{
		{"by default, info and possible are hidden; long sessions never for their severity", report.Options{}, 10, report.Hidden{Possible: 6, Info: 2}},
		{"all", report.Options{MinSeverity: "info", MinConfidence: "possible"}, 18, report.Hidden{}},
		{"the worst and surest", report.Options{MinSeverity: "critical", MinConfidence: "confirmed"}, 4, report.Hidden{Possible: 6, Likely: 6, Info: 1, Warning: 1}},
	} {
		r := report.New(report.Report{Findings: findings}, c.o)
		if got := len(r.Shown(c.o)); got != c.shown || r.Hidden != c.hidden {
			t.Errorf("%s: %d shown and %+v hidden, want %d and %+v", c.name, got, r.Hidden, c.shown, c.hidden)
		}
		if len(r.Shown(c.o))+r.Hidden.Sum() != len(findings) {
			t.Errorf("%s: a finding is neither shown nor hidden, or both", c.name)
		}
	}
}

func TestWorstIsTheWorstSeverity(t *testing.T) {
	info, warning := analysis.Finding{Severity: analysis.Info}, analysis.Finding{Severity: analysis.Warning}
	if got := report.Worst([]analysis.Finding{info, warning, info}); got != analysis.Warning {
		t.Errorf("got %q, want warning", got)
	}
	if got := report.Worst(nil); got != "" || got.Rank() != 0 {
		t.Errorf("the worst of nothing is %q", got)
	}
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsTold(t *testing.T) {
	r := synthetic()
	for name, err := range map[string]error{
		"JSON": report.JSON(full{}, r), "YAML": report.YAML(full{}, r),
		"HTML": report.HTML(full{}, r, report.Options{}), "Markdown": report.Markdown(full{}, r, report.Options{}), "Table": report.Table(full{}, r, report.Options{}),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got error %v, want %v", name, err, errFull)
		}
	}
}

// TestSessionsThatAreAFaultAreFindings: below "nothing was found" nobody looks
// for a warning.
func TestSessionsThatAreAFaultAreFindings(t *testing.T) {
	leak, long := longSession(), longSession()
	leak.ID, leak.Severity, leak.Title = "hijacked-latency/0000000e", analysis.Warning, "monitor had 34 exec sessions; 4 never ended"
	r := report.New(report.Report{Input: report.Input{Events: 10}, Findings: []analysis.Finding{leak, long}}, report.Options{})
	for name, got := range map[string]string{
		"table": table(t, r, report.Options{Width: 100}), "wide": table(t, r, report.Options{Width: 100, Wide: true}), "markdown": asMarkdown(t, r, report.Options{}),
	} {
		before, sessions, _ := strings.Cut(got, "Long sessions\n")
		if !strings.Contains(before, "onitor had 34 exec sessions") || strings.Contains(before, "othing of severity") || !strings.Contains(sessions, "lice had 2 exec sessions") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestLongSpansAreReadable: nobody divides 61320h by 8766.
func TestLongSpansAreReadable(t *testing.T) {
	for _, c := range []struct {
		last, want string
	}{
		{"2026-03-01T23:00:00Z", "23h0m0s"},
		{"2026-03-04T07:00:10Z", "3d7h"},
		{"2026-06-29T00:00:00Z", "120 days"},
		{"2033-03-01T00:00:00Z", "7.0 years"},
	} {
		var r report.Report
		text := `{"apiVersion":"kaudit/v1","kind":"Report","input":{"events":2,"first":"2026-03-01T00:00:00Z","last":"` + c.last + `"}}`
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		want := "Span        2026-03-01T00:00:00Z to " + c.last + ", " + c.want + "\n"
		if got := table(t, &r, report.Options{Width: 100}); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
}

func TestRequestsThatEventsTellOfAreNotCountedAgain(t *testing.T) {
	for _, c := range []struct {
		in   report.Input
		want string
	}{
		{report.Input{Events: 10, Requests: 70}, "was found in 10 events."},
		{report.Input{Events: 10, Requests: 70, Counted: 5}, "was found in 10 events and 5 requests of httplog."},
		{report.Input{Requests: 70, Counted: 70}, "was found in 0 events and 70 requests of httplog."},
	} {
		if got := table(t, report.New(report.Report{Input: c.in}, report.Options{}), report.Options{Width: 200}); !strings.Contains(got, c.want) {
			t.Errorf("%+v: got\n%s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestNothingFoundSaysWhatThatIsWorth(t *testing.T) {
	for _, c := range []struct {
		name string
		r    report.Report
		want string
	}{
		{
			"a whole log",
			report.Report{Input: report.Input{Events: 10}},
			"Nothing of severity warning and confidence likely or above was found in 10 events.",
		},
		{
			"an empty log",
			report.Report{},
			"No audit event was read, so nothing can be said of the cluster.",
		},
		{
			"long sessions",
			report.Report{Input: report.Input{Events: 10}, Findings: []analysis.Finding{longSession()}},
			"But for the long sessions below, nothing of severity warning and confidence likely or above was found in 10 events.",
		},
		{
			"a log that could not show it",
			report.Report{
				Input:   report.Input{Events: 1, Errors: []string{"audit.log.gz: cut"}},
				Blind:   []analysis.Blind{{Analyzer: "slow-request", Why: "no ResponseComplete in this log"}},
				Notes:   []analysis.Note{{Kind: "hole"}},
				Partial: true,
			},
			"Nothing of severity warning and confidence likely or above was found in 1 event; this is no all-clear, since " +
				"1 analyzer could see nothing in it, it has 1 hole, not all of it could be read and the scan was interrupted.",
		},
	} {
		got := table(t, report.New(c.r, report.Options{}), report.Options{Width: 400})
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %s", c.name, got, c.want)
		}
	}
}
