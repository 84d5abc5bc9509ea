package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// beatCells is how many versions of nodes' Leases are kept of a log, 6 KiB: one every half
// a minute in a log of two hours.
const beatCells = 256

var nsNodeLeases = audit.Intern("kube-node-lease")

// observeBeat keeps the version on which a kubelet's renewal of its Lease is based. The
// kubelet made it with its renewal before, and all kubelets renew their Leases equally
// often. So the newest such version tells what version the cluster was at, the same time
// ago in every log, and the logs of several API servers can be compared.
func (l *logFacts) observeBeat(e *audit.Event) {
	if e.Namespace != nsNodeLeases || e.Resource != resLeases || len(e.ObjectRV) == 0 || !e.Wrote() {
		return
	}
	if rv, err := strconv.ParseUint(NameOf(e.ObjectRV), 10, 64); err == nil {
		l.Beats.Cap = beatCells
		l.Beats.Add(e.Began(), version{rv, e.Began()})
	}
}

// clocks are how far the clocks of logs differ.
type clocks struct {
	of    string                   // the log with which the others were compared
	ahead map[string]time.Duration // by log, where a difference is known; negative: behind
	skew  time.Duration            // between the two that differ most
}

// Differences that count, and that can be.
const (
	leastSkew = 2 * time.Second // kubelets are late by as much, and so are lines of a busy server
	mostSkew  = 10 * time.Minute
	minPoints = 10 // versions to compare: fewer, and chance decides

	// What lies between two renewals is known to half of the time between them: in a small
	// cluster, versions may grow in bursts that come with a node's renewals.
	renewal = 10 * time.Second

	// How many usual steps may lie between two versions. In a hole of the log versions need
	// not grow evenly.
	few = 3
)

// clocks compares the clocks of the logs by the versions of nodes' Leases, with that of the
// log that has the most of them.
func (f *Facts) clocks() clocks {
	return f.clock.get(f, "", func() clocks {
		c := clocks{ahead: map[string]time.Duration{}}
		names := f.LogNames()
		if len(names) < 2 {
			return c
		}
		c.of = slices.MaxFunc(names, func(a, b string) int {
			return cmp.Or(cmp.Compare(f.Logs[a].Beats.Len(), f.Logs[b].Beats.Len()), cmp.Compare(b, a))
		})
		curve, least, most := risingBeats(&f.Logs[c.of].Beats), time.Duration(0), time.Duration(0)
		for _, name := range names {
			if ahead, ok := compareClocks(risingBeats(&f.Logs[name].Beats), curve); ok && name != c.of {
				c.ahead[name] = ahead
				least, most = min(least, ahead), max(most, ahead)
			}
		}
		c.skew = most - least
		return c
	})
}

// risingBeats returns those versions that are higher than all before them: a kubelet that
// was cut off comes back with an old one.
func risingBeats(beats *tally.Cells[version]) (curve []version) {
	for _, v := range beats.All() {
		if len(curve) == 0 || v.RV > curve[len(curve)-1].RV {
			curve = append(curve, *v)
		}
	}
	return curve
}

// compareClocks returns by how much the clock of a log is ahead of another's, given the
// versions that each had at what times. ok is false if they have too few in common, or if
// the differences are not alike, as of two clusters, or small.
func compareClocks(log, other []version) (ahead time.Duration, ok bool) {
	var all []time.Duration
	step := usualStep(other)
	for _, v := range log {
		if t, ok := timeOf(other, v.RV, few*step); ok {
			all = append(all, v.At.Sub(t))
		}
	}
	if len(all) < minPoints {
		return 0, false
	}
	slices.Sort(all)
	ahead = all[len(all)/2].Round(100 * time.Millisecond)
	spread := all[3*len(all)/4] - all[len(all)/4]
	size := max(ahead, -ahead)
	return ahead, size >= max(leastSkew, min(step, renewal)/2) && size <= mostSkew && 2*spread <= size
}

// usualStep returns how far apart in time nine of ten versions lie at most: nodes may renew
// at about the same time and then wait.
func usualStep(curve []version) time.Duration {
	var steps []time.Duration
	for i := 1; i < len(curve); i++ {
		steps = append(steps, curve[i].At.Sub(curve[i-1].At))
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[9*len(steps)/10]
}

// timeOf returns when a log had a version, between those that it tells, if they are no
// further apart than most.
func timeOf(curve []version, rv uint64, most time.Duration) (t audit.Time, ok bool) {
	i, found := slices.BinarySearchFunc(curve, rv, func(v version, rv uint64) int { return cmp.Compare(v.RV, rv) })
	switch {
	case found:
		return curve[i].At, true
	case i == 0, i == len(curve):
		return 0, false
	}
	a, b := curve[i-1], curve[i]
	if b.At.Sub(a.At) > most {
		return 0, false
	}
	share := float64(rv-a.RV) / float64(b.RV-a.RV)
	return a.At.Add(time.Duration(share * float64(b.At.Sub(a.At)))), true
}

// Ahead returns by how much the clock of a log's API server is ahead of the others', as far
// as the log tells; negative if it is behind. It returns 0 if no difference is known.
func (f *Facts) Ahead(log string) time.Duration { return f.clocks().ahead[log] }

// Skew returns how far the clocks of two API servers differ at most. It returns 0 if no
// difference is known.
func (f *Facts) Skew() time.Duration { return f.clocks().skew }

// End returns when the last event of all logs was written, by the clock of a log's API server.
func (f *Facts) End(log string) audit.Time {
	c := f.clocks()
	end := f.Span.Last
	if c.skew == 0 {
		return end
	}
	end = 0
	for name, l := range f.Logs {
		end = max(end, l.Span.Last.Add(c.ahead[log]-c.ahead[name]))
	}
	return end
}

// clockNotes tell of logs whose clocks differ.
func (f *Facts) clockNotes() (notes []Note) {
	c := f.clocks()
	for _, log := range f.LogNames() {
		ahead := c.ahead[log]
		if ahead == 0 {
			continue
		}
		behind := "ahead of"
		if ahead < 0 {
			behind = "behind"
		}
		span := f.LogSpan(log)
		notes = append(notes, Note{"clocks", span.First, span.Last, fmt.Sprintf(
			"The clock of %s is %s %s that of %s: nodes' Leases had the same resourceVersions that much apart. What happened first is uncertain by as much, and so is the length of what began in one log and ended in the other. Check the time service (NTP) of these control-plane nodes.",
			log, max(ahead, -ahead), behind, c.of)})
	}
	return notes
}
