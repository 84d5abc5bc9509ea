package tally

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// events reads "ID VERB STAGE CODE" a line; a stage is its capitals, and its
// time the line's number.
func events(t *testing.T, text string) []*audit.Event {
	t.Helper()
	stages := map[string]audit.Stage{
		"RR": audit.StageRequestReceived, "RS": audit.StageResponseStarted,
		"RC": audit.StageResponseComplete, "P": audit.StagePanic,
	}
	var all []*audit.Event
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		var id, verb, stage string
		var code int
		if _, err := fmt.Sscan(line, &id, &verb, &stage, &code); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, &audit.Event{
			Source: "audit.log", Offset: int64(i), AuditID: audit.View(id), URI: audit.View("/" + id),
			Verb: audit.Intern(verb), Stage: stages[stage], Code: code, Resource: audit.Intern("pods"),
			Received: sec(0), At: sec(float64(i)),
		})
	}
	return all
}

// open returns the requests that began and never ended, in order of their
// earliest events.
func open(p *Pairs) []Half {
	var halves []Half
	for _, pair := range p.Kept {
		if pair.Half != nil {
			halves = append(halves, *pair.Half)
		}
	}
	slices.SortFunc(halves, func(a, b Half) int { return a.Ref.Compare(b.Ref) })
	return halves
}

func TestPairsFindTheRequestsThatNeverEnded(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a get RR 0\na get RC 200", ""},
		{"a get RR 0", "a@0"},
		{"a get RR 0\nb watch RS 200", "a@0 b@1"},
		{"a watch RR 0\na watch RS 200", "a@0 started 1"},
		{"a watch RC 200\na watch RR 0\na watch RS 200", ""}, // the end is read first
		{"a get RR 0\na get P 500", ""},
		{"a get RR 0\na get RS 400", ""}, // a bad timeout: refused early
		{"a get RS 401\nb watch RS 401", ""},
		{"a get RR 0\na get RC 200\nb get RR 0\na get RR 0", "b@2"},
	} {
		var p Pairs
		for _, e := range append(events(t, c.text), events(t, c.text)...) { // each twice: it must not matter
			p.Observe(e)
		}
		var got []string
		for _, half := range open(&p) {
			s := fmt.Sprintf("%s@%g", half.Ref.AuditID, half.Ref.Time.Sub(base).Seconds())
			if half.Started != 0 && half.Ref.Time != half.Started {
				s += fmt.Sprintf(" started %g", half.Started.Sub(base).Seconds())
			}
			got = append(got, s)
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%q leaves open %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAnEventOutsideTheSelectionOnlyEndsARequest(t *testing.T) {
	var p Pairs
	all := events(t, "a get RR 0\na get RC 200\nb get RR 0")
	p.Close(all[1])
	p.Observe(all[0])
	p.Close(all[2])
	if left := open(&p); len(left) != 0 {
		t.Errorf("open: %v", left)
	}
}

// TestFullPairsKeepWholeRequests floods small pairs with requests of which
// every tenth never ends.
func TestFullPairsKeepWholeRequests(t *testing.T) {
	p := Pairs{Cap: 200}
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "id-%d get RR 0\n", i)
		if i%10 != 0 {
			fmt.Fprintf(&text, "id-%d get RC 200\n", i)
		}
	}
	for _, e := range events(t, text.String()) {
		p.Observe(e)
	}
	for _, half := range open(&p) {
		if !strings.HasSuffix(half.Ref.AuditID, "0") {
			t.Errorf("%s has ended", half.Ref.AuditID)
		}
	}
	if n := len(open(&p)); !p.Spilt || n < 5 || n > 50 {
		t.Errorf("%d of 200 are open, spilt %t; want about 20", n, p.Spilt)
	}
}

func TestABalanceCountsByReceipt(t *testing.T) {
	var b Balance
	for _, e := range events(t, `
		a get RR 0
		a get RC 200
		b watch RR 0
		b watch RS 200
		c get RS 401
		d get RR 0
		d get RS 400`) {
		b.Observe(e)
	}
	if got, want := *b.Cells.At(sec(0)), (Stages{Received: 3, Started: 1, Closed: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
