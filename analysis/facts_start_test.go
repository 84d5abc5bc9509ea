package analysis

import (
	"fmt"
	"testing"
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
