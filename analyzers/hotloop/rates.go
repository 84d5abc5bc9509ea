package hotloop

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatAlways = "the log covers little more than the loop: these clients may always write like this"
	caveatUsual  = "these clients write it half as often, or more, in the rest of the log: it is their usual pace"
)

// rates are how often a loop's objects were written, an hour.
type rates struct {
	second float64   // in the hot stretches, a second
	loop   float64   // the same, an hour
	reads  float64   // the same
	by     []float64 // by each of those that users names
	normal float64   // by the same clients in the rest of the log; NaN if there is hardly any
}

// ratesOf compares the loop with what its clients do otherwise: what they wrote
// to the same objects in the rest of the log. ok is false if the loop is too
// short to have a pace.
func (s *State) ratesOf(p *analysis.Pass, l *loop) (r rates, ok bool) {
	active := timeOf(l.marks)
	if active < time.Second {
		return r, false
	}
	r = rates{second: math.Round(10*float64(l.sum.writes)/active.Seconds()) / 10, loop: perHour(float64(l.sum.writes), active), reads: perHour(float64(l.sum.reads), active), normal: math.NaN()}
	objects, writers, within, beyond := objectsOf([]*loop{l}), map[writer]bool{}, map[string]float64{}, 0.0
	for _, i := range writesOf(l.items) {
		writers[i.writer()] = true
	}
	all := 0.0
	for n := range s.Writes.lines {
		i := item{line: &s.Writes.lines[n]}
		switch {
		case !objects[i.object] || !writers[i.writer()]:
		case l.hot(i.Began()):
			within[i.name()] += i.weight(l.counted)
			all += i.weight(l.counted)
		default:
			beyond += i.weight(l.counted)
		}
	}
	share := float64(l.sum.writes) / max(all, 1) // how many writes one that is kept stands for
	for _, name := range users(l.items) {
		r.by = append(r.by, perHour(within[name]*share, active))
	}
	span := p.Facts.Span
	if rest := span.Len() - active; rest >= p.Duration(optWindow) {
		r.normal = perHour(beyond*share, rest)
	}
	return r, true
}

// weight is how many writes one of a sample stands for, where it is not whole.
func (i *item) weight(sampled bool) float64 {
	if sampled && i.conflict() {
		return 1.0 / (1 << conflictShift)
	}
	return 1
}

// hot reports whether the loop ran at a time.
func (l *loop) hot(t audit.Time) bool {
	return slices.ContainsFunc(l.marks, func(m analysis.Mark) bool { return m.From <= t && t <= m.To })
}

// timeOf returns how long the marks last together.
func timeOf(marks []analysis.Mark) (all time.Duration) {
	marks = slices.SortedFunc(slices.Values(marks), func(a, b analysis.Mark) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var until audit.Time
	for _, m := range marks {
		if from := max(m.From, until); m.To > from {
			all += m.To.Sub(from)
			until = m.To
		}
	}
	return all
}

func perHour(n float64, in time.Duration) float64 { return math.Round(n / in.Hours()) }

// tell adds the rates to a finding. What conflicts, and what two undo, is in
// vain at whatever pace.
func (r *rates) tell(f *analysis.Finding, kind string) {
	f.Details["writesPerSecond"], f.Details["writesPerHour"], f.Details["writersPerHour"] = r.second, r.loop, r.by
	if r.reads > 0 {
		f.Details["readsPerHour"] = r.reads
	}
	known := !math.IsNaN(r.normal)
	if known {
		f.Details["normalPerHour"] = r.normal
	}
	switch {
	case kind == kindConflicts || kind == kindTurns:
	case !known:
		f.Caveats = append(f.Caveats, caveatAlways)
	case 2*r.normal >= r.loop:
		f.Caveats = append(f.Caveats, caveatUsual)
	}
}
