package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestAStartIsKnownByWhatTheCoreIsRefused(t *testing.T) {
	const (
		proxy = "system:kube-proxy list /services 403"
		sched = "system:kube-scheduler watch /pods 403"
		other = "alice list /pods 403"
		own   = "system:apiserver update kube-system/leases/apiserver-x 200"
	)
	for _, c := range []struct {
		what  string
		texts []string
		at    []float64 // when each of them is made
		want  string
	}{
		{"for a moment", []string{proxy, sched}, []float64{100, 100.5, 101}, "[100]"},
		{"twice, long apart", []string{proxy}, []float64{100, 101, 900}, "[100 900]"},
		{"again and again", []string{proxy}, []float64{100, 130, 160, 190, 220, 250}, "[]"},
		{"somebody else", []string{other}, []float64{100, 101}, "[]"},
		{"in a log that has what its API server asked", []string{proxy, own}, []float64{100, 101}, "[]"},
	} {
		f := NewFacts()
		for _, at := range c.at {
			for _, text := range c.texts {
				f.Observe(done(t, at, at, text), true)
			}
		}
		got := []float64{}
		for _, start := range f.Starts("audit.log") {
			got = append(got, start.Sub(noon).Seconds())
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("refused %s: starts at %v, want %s", c.what, got, c.want)
		}
	}
}

func TestARestartIsToldByWhatIsKnownOfIt(t *testing.T) {
	f := NewFacts()
	own := func(from, to float64, i int, query string) {
		e := done(t, from, to, fmt.Sprintf("system:apiserver watch /r%d 200", i))
		e.URI = audit.View(fmt.Sprintf("/api/v1/r%d?%s&timeoutSeconds=500&watch=true", i, query))
		f.Observe(e, true)
	}
	f.Observe(done(t, 0, 0, "alice get shop/pods/web 200"), true)
	for i := range 2 * minFresh {
		own(50, 100, i, "resourceVersion=7")       // cut
		own(105, 150, i, "sendInitialEvents=true") // of the next process
		own(150, 650, i, "resourceVersion=9")      // ended by its time
		f.Observe(done(t, float64(i), float64(i), "alice get shop/pods/web 200"), true)
	}
	got := ""
	for _, note := range f.Notes() {
		got += note.Text
	}
	const want = "started, 5s after it ended its watches, as it does when it is told to stop"
	if !strings.Contains(got, want) {
		t.Errorf("got %q, want one that says %q", got, want)
	}
}
