package incident_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/audit"
)

const (
	kcm   = "system:kube-controller-manager"
	agent = "kube-controller-manager/v1.9.1 (linux/amd64) kubernetes/3a1c944"
	ip    = "10.0.0.11"
)

// marks reads spans in seconds, such as "0-7 7-15", or "0-15x2" for one that
// stands for two, or "20-" for one without an end.
func marks(kind, spans string) []analysis.Mark {
	var marks []analysis.Mark
	for _, span := range strings.Fields(spans) {
		span, n, _ := strings.Cut(span, "x")
		from, to, _ := strings.Cut(span, "-")
		m := analysis.Mark{Kind: kind, From: seconds(from), To: seconds(to), N: 1}
		if n != "" {
			m.N = int(n[0] - '0')
		}
		marks = append(marks, m)
	}
	return marks
}

func seconds(s string) audit.Time {
	if s == "" {
		return 0
	}
	var f float64
	fmt.Sscan(s, &f)
	return audit.Time(1_000_000_000 + int64(f*1e6))
}

// stuck is a watch of a resource that client has stuck, in these rounds.
func stuck(resource string, client analysis.Subject, rounds string) analysis.Finding {
	f := analysis.Finding{
		ID: "stuck-watch/" + resource, Analyzer: "stuck-watch", Severity: analysis.Critical, Confidence: analysis.Confirmed,
		Subject: client, Marks: marks("round", rounds),
		Details: analysis.Details{"kind": "same-rv", "resourceVersion": "376"},
	}
	f.Subject.Resource = resource
	return f
}

// flap is an object that client deletes, with these outages.
func flap(object string, client analysis.Subject, outages string) analysis.Finding {
	f := analysis.Finding{
		ID: "endpoint-flap/" + object, Analyzer: "endpoint-flap", Severity: analysis.Critical, Confidence: analysis.Confirmed,
		Subject: client, Marks: marks("outage", outages), Details: analysis.Details{},
	}
	f.Subject.Resource = "endpoints"
	f.Subject.Namespace, f.Subject.Name, _ = strings.Cut(object, "/")
	return f
}

var manager = analysis.Subject{User: kcm, UserAgent: agent, SourceIP: ip}

// with is f with a change, to nothing that f shares.
func with(f analysis.Finding, change func(*analysis.Finding)) analysis.Finding {
	f.Details = maps.Clone(f.Details)
	change(&f)
	return f
}

func TestAStuckWatchAndWhatFlapsAtItsRoundsAreOneIncident(t *testing.T) {
	watch := stuck("services", manager, "0-7 7-15 15-21")
	cart := flap("shop/cart", manager, "7.1-8 15.2-16 21.5-23")
	for _, c := range []struct {
		name       string
		findings   []analysis.Finding
		after      int    // of the last finding
		incident   string // ids of the incident's findings, or ""
		confidence analysis.Confidence
	}{
		{
			"the same client deletes at the end of each round",
			[]analysis.Finding{watch, cart},
			3, "stuck-watch/services endpoint-flap/shop/cart", analysis.Confirmed,
		},
		{
			"the controller has an account of its own",
			[]analysis.Finding{watch, flap("shop/cart", analysis.Subject{
				User: "system:serviceaccount:kube-system:endpoint-controller", SourceIP: ip,
			}, "7.1-8 15.2-16")},
			2, "stuck-watch/services endpoint-flap/shop/cart", analysis.Confirmed,
		},
		{
			"a deletion at a round's start, and one by a skewed clock before its end",
			[]analysis.Finding{watch, flap("shop/cart", manager, "1.5-2 5.5-6")},
			2, "stuck-watch/services endpoint-flap/shop/cart", analysis.Confirmed,
		},
		{
			"half of the deletions have another reason",
			[]analysis.Finding{watch, flap("shop/cart", manager, "7.1-8 40-41")},
			1, "stuck-watch/services endpoint-flap/shop/cart", analysis.Likely,
		},
		{
			"most deletions have another reason",
			[]analysis.Finding{watch, flap("shop/cart", manager, "7.1-8 40-41 50-51")},
			1, "", "",
		},
		{
			"one watch hurts two objects",
			[]analysis.Finding{watch, cart, flap("shop/db", manager, "15-16")},
			1, "stuck-watch/services endpoint-flap/shop/cart endpoint-flap/shop/db", analysis.Confirmed,
		},
		{
			"the watch is likely only",
			[]analysis.Finding{with(watch, func(f *analysis.Finding) { f.Confidence = analysis.Likely }), cart},
			3, "stuck-watch/services endpoint-flap/shop/cart", analysis.Likely,
		},
		{
			"marks stand for several rounds",
			[]analysis.Finding{stuck("services", manager, "0-50x6"), flap("shop/cart", manager, "20-35x2")},
			2, "stuck-watch/services endpoint-flap/shop/cart", analysis.Likely,
		},
		{
			"a last deletion that is not made good is no cycle",
			[]analysis.Finding{watch, with(flap("shop/cart", manager, "7.1-8 21.5-"), func(f *analysis.Finding) {
				f.Details["cycles"] = 1
			})},
			1, "stuck-watch/services endpoint-flap/shop/cart", analysis.Confirmed,
		},
		{"no stuck watch", []analysis.Finding{cart}, 0, "", ""},
		{"deletions between rounds", []analysis.Finding{stuck("services", manager, "0-60"), flap("shop/cart", manager, "20-21 30-31")}, 0, "", ""},
		{"another user deletes", []analysis.Finding{watch, flap("shop/cart", analysis.Subject{User: "alice", SourceIP: ip}, "7.1-8 15.2-16")}, 0, "", ""},
		{"another replica deletes", []analysis.Finding{watch, flap("shop/cart", analysis.Subject{User: kcm, SourceIP: "10.0.0.12"}, "7.1-8 15.2-16")}, 0, "", ""},
		{"the watch is of another namespace", []analysis.Finding{with(watch, func(f *analysis.Finding) { f.Subject.Namespace = "data" }), cart}, 0, "", ""},
		{"the watch is of pods", []analysis.Finding{stuck("pods", manager, "0-7 7-15 15-21"), cart}, 0, "", ""},
		{"the watch begins from nothing each time", []analysis.Finding{with(watch, func(f *analysis.Finding) { f.Details["kind"] = "from-zero" }), cart}, 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			findings := clone(t, c.findings)
			incidents := incident.Find(findings, 0)
			last := findings[len(findings)-1]
			if _, ok := last.Details["afterWatchRound"]; !ok || last.Details.Int("afterWatchRound") != c.after {
				t.Errorf("afterWatchRound is %v, want %d", last.Details["afterWatchRound"], c.after)
			}
			if c.incident == "" {
				if len(incidents) > 0 || len(last.Related) > 0 {
					t.Errorf("got %v, related %v; want no incident", incidents, last.Related)
				}
				return
			}
			if len(incidents) != 1 {
				t.Fatalf("got %d incidents, want 1", len(incidents))
			}
			in := incidents[0]
			if got := strings.Join(in.Findings, " "); got != c.incident {
				t.Errorf("findings are\n%s, want\n%s", got, c.incident)
			}
			if in.Confidence != c.confidence || in.Severity != analysis.Critical {
				t.Errorf("got %s %s, want critical %s", in.Severity, in.Confidence, c.confidence)
			}
		})
	}
}

// clone copies findings through JSON, so that a case can be used twice.
func clone(t *testing.T, findings []analysis.Finding) []analysis.Finding {
	t.Helper()
	b, err := json.Marshal(findings)
	if err != nil {
		t.Fatal(err)
	}
	var copied []analysis.Finding
	if err := json.Unmarshal(b, &copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

func TestTheStoryNamesCauseRemedyAndTimes(t *testing.T) {
	findings := []analysis.Finding{
		stuck("services", manager, "0-7 7-15 15-21"),
		flap("shop/cart", manager, "7.1-8 15.2-16"),
		flap("shop/db", manager, "7.3-12 21.5-23"),
	}
	findings[0].Details["triggerTime"] = seconds("-5").String()
	findings[0].Details["triggerUser"], findings[0].Details["triggerObject"] = "alice", "old"
	in := incident.Find(findings, 0)[0]
	for _, want := range []struct{ field, text, what string }{
		{"title", in.Title, "kube-controller-manager at 10.0.0.11 replays old events of services and deletes the endpoints of shop/cart, shop/db"},
		{"cause", in.Cause, "resumes again and again from resourceVersion 376"},
		{"cause", in.Cause, "4 of 4 deletions lie within 2s of the start or end of a round"},
		{"remedy", in.Remedy, "Restart the leading kube-controller-manager"},
		{"avoid", in.Avoid, "does not move the watch of services"},
		{"proof", in.Proof, "start from a higher resourceVersion"},
	} {
		if !strings.Contains(want.text, want.what) {
			t.Errorf("%s: got %q, want it to say %q", want.field, want.text, want.what)
		}
	}
	if all := in.Title + in.Cause + in.Remedy + in.Avoid + in.Proof; strings.ContainsAny(all, "{}") {
		t.Errorf("a word was left open in %q", all)
	}
	want := []incident.Event{
		{Time: seconds("-5"), Text: "alice deletes services old: the last deletion before the watch got stuck"},
		{Time: seconds("0"), Text: "the first watch from the old version begins"},
		{Time: seconds("7.1"), Text: "the endpoints shop/cart are deleted for the first time"},
		{Time: seconds("7.3"), Text: "the longest outage begins: shop/db are gone for 4.7s"},
		{Time: seconds("21"), Text: "the last watch from the old version is seen to end"},
	}
	if diff := cmp.Diff(want, in.Timeline); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	if got, want := strings.Join(findings[0].Related, " "), "endpoint-flap/shop/cart endpoint-flap/shop/db"; got != want {
		t.Errorf("the watch is related to %q, want %q", got, want)
	}
	if got, want := strings.Join(findings[2].Related, " "), "stuck-watch/services"; got != want {
		t.Errorf("shop/db is related to %q, want %q", got, want)
	}
}

func TestWatchesThatShareAnObjectAreOneIncident(t *testing.T) {
	account := analysis.Subject{User: "system:serviceaccount:kube-system:endpoint-controller", SourceIP: ip}
	findings := []analysis.Finding{
		stuck("services", manager, "0-7 7-15"),
		stuck("endpoints", account, "0-5 5-15"),
		flap("shop/cart", manager, "7.1-8"),
		flap("shop/db", account, "15-16 7-8"),
	}
	incidents := incident.Find(findings, 0)
	if len(incidents) != 1 || len(incidents[0].Findings) != 4 {
		t.Errorf("got %+v, want one incident of four findings", incidents)
	}
}

func TestFindingAgainInASavedReportChangesNothing(t *testing.T) {
	findings := []analysis.Finding{
		stuck("services", manager, "0-7 7-15 15-21"),
		flap("shop/cart", manager, "7.1-8 15.2-16"),
		flap("shop/db", manager, "7.3-12 21.5-23"),
	}
	incidents := incident.Find(findings, 0)
	saved := clone(t, findings)
	again := incident.Find(saved, 0)
	if diff := cmp.Diff(incidents, again); diff != "" {
		t.Errorf("incidents differ (-first +again):\n%s", diff)
	}
	first, _ := json.Marshal(findings)
	second, _ := json.Marshal(saved)
	if string(first) != string(second) {
		t.Errorf("findings differ:\n%s\n%s", first, second)
	}
}
