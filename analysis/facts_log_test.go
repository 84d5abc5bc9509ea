package analysis

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

// speaks returns an event of log every so many seconds of [from, to).
func speaks(t *testing.T, log string, from, to, every float64) []*audit.Event {
	t.Helper()
	var events []*audit.Event
	for s := from; s < to; s += every {
		e := done(t, s, s, "system:node:n1 update kube-node-lease/leases/n1 200")
		e.Log = log
		events = append(events, e)
	}
	return events
}

func TestASilenceIsAHoleOnlyWhereItIsUnlikely(t *testing.T) {
	for _, c := range []struct {
		what   string
		events []*audit.Event
		want   string
	}{
		{"an hour without a pause", speaks(t, "a", 0, 3600, 2), "[]"},
		{"a minute of an hour", append(speaks(t, "a", 0, 1800, 2), speaks(t, "a", 1860, 3600, 2)...), "[1798-1860]"},
		{"half a minute of five", append(speaks(t, "a", 0, 100, 2), speaks(t, "a", 140, 300, 2)...), "[98-140]"},
		{"20 seconds of an hour", append(speaks(t, "a", 0, 1800, 2), speaks(t, "a", 1820, 3600, 2)...), "[1798-1820]"},
		{"8 seconds of an hour", append(speaks(t, "a", 0, 1800, 2), speaks(t, "a", 1808, 3600, 2)...), "[]"},
		{"20 seconds where it speaks every seven", append(speaks(t, "a", 0, 1799, 7), speaks(t, "a", 1820, 3600, 7)...), "[]"},
		{"one event every 20 s", speaks(t, "a", 0, 3600, 20), "[]"},
		{"one event every 10 min", speaks(t, "a", 0, 36_000, 600), "[]"},
		{"two bursts an hour apart", append(speaks(t, "a", 0, 10, 1), speaks(t, "a", 3600, 3610, 1)...), "[]"},
		{"a session that ends long after all else", append(speaks(t, "a", 0, 300, 2), speaks(t, "a", 3600, 3601, 2)...), "[]"},
	} {
		f := facts(c.events...)
		got := "["
		for _, hole := range f.Holes("a") {
			got += fmt.Sprintf("%g-%g", hole.From.Sub(noon).Seconds(), hole.To.Sub(noon).Seconds())
		}
		if got += "]"; got != c.want {
			t.Errorf("%s: holes %s, want %s", c.what, got, c.want)
		}
	}
}

func TestAHoleIsOfOneLog(t *testing.T) {
	f := facts(append(append(speaks(t, "a", 0, 1800, 2), speaks(t, "a", 1900, 3600, 2)...), speaks(t, "b", 0, 3600, 2)...)...)
	if a, b := f.Holes("a"), f.Holes("b"); len(a) != 1 || len(b) != 0 {
		t.Errorf("holes %v and %v", a, b)
	}
	if !f.InHole(after(1850), after(1851)) || f.InHole(after(1700), after(1701)) {
		t.Error("the hole is not where it is")
	}
	if !f.Spoke("b", after(1850), after(1851)) || f.Spoke("a", after(1850), after(1851)) || f.Spoke("c", 0, after(9999)) {
		t.Error("the wrong log spoke")
	}
	if span := f.LogSpan("a"); span.First != after(0) || span.Last != after(3598) {
		t.Errorf("a spans %v", span)
	}
	notes := f.Notes()
	if len(notes) != 1 || notes[0].Kind != "hole" || notes[0].Text == "" || notes[0].From != after(1798) || notes[0].To != after(1900) {
		t.Errorf("notes %v", notes)
	}
}

func TestTheTimeBetweenTwoLogsIsAHole(t *testing.T) {
	join := func(parts ...[]*audit.Event) []*audit.Event { return slices.Concat(parts...) }
	for _, c := range []struct {
		what   string
		events []*audit.Event
		want   string
	}{
		{"a minute between the logs", join(speaks(t, "a", 0, 300, 2), speaks(t, "b", 360, 600, 2)), "a 298-360"},
		{"two seconds", join(speaks(t, "a", 0, 300, 2), speaks(t, "b", 300, 600, 2)), ""},
		{"the next log begins before", join(speaks(t, "a", 0, 300, 2), speaks(t, "b", 200, 600, 2)), ""},
		{"a third log goes on meanwhile", join(speaks(t, "a", 0, 300, 2), speaks(t, "b", 360, 600, 2), speaks(t, "c", 0, 600, 2)), ""},
		{"a log that speaks twice a minute", join(speaks(t, "a", 0, 300, 30), speaks(t, "b", 360, 600, 2)), ""},
		{"a log of one event", join(speaks(t, "a", 0, 1, 1), speaks(t, "b", 360, 600, 2)), ""},
		{"one log", speaks(t, "a", 0, 300, 2), ""},
	} {
		f := facts(c.events...)
		got := ""
		for name := range f.Logs {
			for _, hole := range f.Holes(name) {
				got += fmt.Sprintf("%s %g-%g", name, hole.From.Sub(noon).Seconds(), hole.To.Sub(noon).Seconds())
			}
		}
		if got != c.want {
			t.Errorf("%s: holes %q, want %q", c.what, got, c.want)
		}
		if told := len(f.Notes()) > 0; told != (c.want != "") {
			t.Errorf("%s: notes %v", c.what, f.Notes())
		}
	}
}

// TestRecordedStartsAndStops holds recordings against what is known of them.
func TestRecordedStartsAndStops(t *testing.T) {
	want := map[string]string{
		"a-stuck-metadata-same":   "13:48:34 | 13:54:15",
		"b-hijacked-metadata-all": "13:59:20 14:03:04 | 14:03:15", // killed at 14:02:50
		"c-stalled-watches":       "13:55:12 | 13:58:49",
		"d-heartbeat-gap":         "13:45:47 | 13:50:34",
		"e-panic-generic-all":     " | ",
		"cp1":                     "14:09:43 14:11:59 | 14:13:16", // killed at 14:10:56
		"cp2":                     "14:09:52 | 14:13:16",
	}
	for _, path := range slices.Concat(recorded(t, "lab/[a-e]-*/audit.log.gz"), recorded(t, "lab/h-*/*/audit.log.gz")) {
		log := filepath.Base(filepath.Dir(path))
		f := factsOf(t, path)
		if got := clock(f.Starts(log)) + " | " + clock(f.Stops(log)); got != want[log] {
			t.Errorf("%s: starts and stops %s, want %s", log, got, want[log])
		}
	}
}

// TestRecordedNotes names all notes on recordings and cases; those that are
// not listed have none. Logs of one folder are read together.
func TestRecordedNotes(t *testing.T) {
	want := map[string][]string{
		"b-hijacked-metadata-all": {"restart 14:02:48-14:03:04"},
		"d-heartbeat-gap":         {"watches-cut 13:48:25-13:48:25"}, // the load balancer
		"x-truncated-batch":       {"truncated-events 14:07:57-14:08:18"},
		"h-ha-two-apiservers":     {"restart 14:10:56-14:11:59"},

		"006-too-large-rv-relist-loop":         {"no-latency-annotations 08:00:05-08:06:10"},
		"011-apiserving-with-routine-artefact": {"untrusted-watches 16:11:58-16:12:46"},
		"038-leader-lease-lost-etcd-timeout":   {"no-latency-annotations 07:13:03-07:13:06"},
		"041-apiserver-crash-mid-line":         {"no-latency-annotations 18:47:13-18:47:42", "not-ready 18:47:41-18:47:41"},
		"045-truncated-annotation":             {"truncated-events 10:30:03-10:30:05"},
		"046-aggregated-same-auditid":          {"aggregated-twice 07:00:01-07:02:47"},
		"051-relist-storm-after-restart":       {"no-latency-annotations 03:01:00-03:01:03", "watches-cut 03:00:59-03:00:59"},
		"055-relist-loop-fixed-rv":             {"no-latency-annotations 02:00:01-02:00:44"},
		"057-kubelet-token-wave":               {"no-latency-annotations 18:46:58-18:47:04"},
	}
	folders := map[string][]string{}
	for _, pattern := range []string{"lab/[a-eg-x]-*/audit.log.gz", "lab/h-*/*/audit.log.gz", "cases/*/input.jsonl"} {
		for _, path := range recorded(t, pattern) {
			folder := filepath.Base(filepath.Dir(path))
			if folder == "cp1" || folder == "cp2" {
				folder = filepath.Base(filepath.Dir(filepath.Dir(path)))
			}
			folders[folder] = append(folders[folder], path)
		}
	}
	for folder, paths := range folders {
		if diff := cmp.Diff(append([]string{}, want[folder]...), noteLines(factsOf(t, paths...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", folder, diff)
		}
	}
}

// TestRecordedFactsObeyTheLaw cuts and shuffles recordings.
func TestRecordedFactsObeyTheLaw(t *testing.T) {
	for _, path := range slices.Concat(recorded(t, "lab/[ab]-*/audit.log.gz"), recorded(t, "cases/0[1-3]*/input.jsonl")) {
		lawful(t, 1, readLog(t, path))
	}
}
