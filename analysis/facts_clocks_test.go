package analysis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// kept is the renewals of nodes' Leases in two logs, one node in each, ten seconds apart.
// The clock of the second log is ahead by so many seconds; its versions begin at from and
// grow by each a second, those of the first at 1000 and by 2.
func kept(t *testing.T, ahead float64, from, each int) *Facts {
	t.Helper()
	var events []*audit.Event
	for i := range 30 {
		for n, log := range []string{"cp1", "cp2"} {
			at := float64(10*i + 3*n)
			rv := 1000 + 2*(int(at)-10)
			if n == 1 {
				rv, at = from+each*(int(at)-10), at+ahead
			}
			e := done(t, at, at+0.1, fmt.Sprintf("n%d update kube-node-lease/leases/n%d 200", n, n))
			e.Log, e.ObjectRV = log, audit.View(fmt.Sprint(rv))
			e.Group = audit.Intern("coordination.k8s.io")
			events = append(events, e)
		}
	}
	return facts(events...)
}

func TestClocksOfLogsAreCompared(t *testing.T) {
	for _, c := range []struct {
		what       string
		ahead      float64
		from, each int
		want       time.Duration
	}{
		{"the same clock", 0, 1000, 2, 0},
		{"a little ahead", 1, 1000, 2, 0},
		{"less ahead than renewals of two nodes tell", 4, 1000, 2, 0},
		{"ahead", 20, 1000, 2, 20 * time.Second},
		{"behind", -60, 1000, 2, -60 * time.Second},
		{"hours ahead", 7200, 1000, 2, 0},
		{"another cluster, of another pace", 0, 1000, 3, 0},
		{"another cluster, of other versions", 0, 900_000, 2, 0},
	} {
		f := kept(t, c.ahead, c.from, c.each)
		if got := f.Ahead("cp2"); got != c.want || f.Ahead("cp1") != 0 || f.Skew() != max(c.want, -c.want) {
			t.Errorf("%s: cp2 is ahead by %s, want %s; skew %s", c.what, got, c.want, f.Skew())
		}
		if got, want := strings.Contains(kindsOf(f), "clocks"), c.want != 0; got != want {
			t.Errorf("%s: notes %q", c.what, kindsOf(f))
		}
	}
	f := kept(t, -60, 1000, 2)
	last := f.LogSpan("cp1").Last
	if got := f.End("cp1"); got.Sub(last) != 3*time.Second {
		t.Errorf("by the clock of cp1 the logs end %s after it, want 3s", got.Sub(last))
	}
	if got := f.End("cp2"); got != f.LogSpan("cp2").Last {
		t.Errorf("by the clock of cp2 the logs end at %s", got)
	}
}

// TestClocksAreComparedWhereBothLogsGoOn: an API server is down for minutes, in which the
// versions grow unevenly, so that nobody knows when it would have had them.
func TestClocksAreComparedWhereBothLogsGoOn(t *testing.T) {
	const ahead, downFrom, downTo, burst = 20, 80, 320, 100
	var events []*audit.Event
	for i := range 40 {
		for n, log := range []string{"cp1", "cp1", "cp1", "cp2"} {
			at := float64(10*i + 2*n)
			rv := 1000 + int(at)
			if at > burst {
				rv += 5000
			}
			switch {
			case log == "cp2":
				at += ahead
			case at > downFrom && at < downTo:
				continue
			}
			e := done(t, at, at+0.1, fmt.Sprintf("n%d update kube-node-lease/leases/n%d 200", n, n))
			e.Log, e.ObjectRV, e.Group = log, audit.View(fmt.Sprint(rv)), audit.Intern("coordination.k8s.io")
			events = append(events, e)
		}
	}
	if got := facts(events...).Ahead("cp2"); got != ahead*time.Second {
		t.Errorf("cp2 is ahead by %s, want %ds", got, ahead)
	}
}
