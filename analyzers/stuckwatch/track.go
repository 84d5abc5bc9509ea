package stuckwatch

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A track is all of a client's watches from one resourceVersion, in order of time.
type track struct {
	rv   uint64
	runs []*Run
}

// A round is a single watch, with the run that it belongs to.
type round struct {
	Round
	run *Run
}

// tracks returns a track for each version, in order of their first watch.
func (s *State) tracks() []track {
	runs := make([]*Run, 0, 2*s.Watches.Len())
	for _, cell := range s.Watches.All() {
		for _, run := range [...]*Run{&cell.Low, cell.High} {
			if run != nil && run.rounds() > 0 {
				runs = append(runs, run)
			}
		}
	}
	// Those of one version stay in order of time.
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Compare(a.RV, b.RV) })
	tracks := make([]track, 0, len(runs))
	for first := range runs {
		if last := len(tracks) - 1; last >= 0 && tracks[last].rv == runs[first].RV {
			tracks[last].runs = tracks[last].runs[:len(tracks[last].runs)+1]
		} else {
			tracks = append(tracks, track{runs[first].RV, runs[first : first+1]})
		}
	}
	slices.SortFunc(tracks, func(a, b track) int {
		return cmp.Or(a.runs[0].First.compare(b.runs[0].First), cmp.Compare(a.rv, b.rv))
	})
	return tracks
}

// rounds returns how many watches were served.
func (t *track) rounds() int { return t.sum((*Run).rounds) }

func (t *track) sum(of func(*Run) int) int {
	n := 0
	for _, run := range t.runs {
		n += of(run)
	}
	return n
}

// roundsFrom returns how many watches began at or after a time. Of a run that
// began before it, only the last watch is known to qualify.
func (t *track) roundsFrom(from audit.Time) int {
	return t.sum(func(r *Run) int {
		switch {
		case r.First.From >= from:
			return r.rounds()
		case r.last().From >= from:
			return 1
		}
		return 0
	})
}

// after reports whether the track's first watch began after the last one of
// another track.
func (t *track) after(o *track) bool { return t.runs[0].First.From > o.lastFrom() }

// gone returns how many of the watches were answered 410.
func (t *track) gone() int { return t.sum(func(r *Run) int { return int(r.Gone) }) }

// short returns how many of the watches ended at once.
func (t *track) short() int { return t.sum(func(r *Run) int { return int(r.Short) }) }

// exact reports whether every watch is known individually: no run has two.
func (t *track) exact() bool {
	return !slices.ContainsFunc(t.runs, func(r *Run) bool { return !r.single() })
}

// span returns the time from the beginning of the first watch to the end of the
// last one, or to its beginning if its end is not known.
func (t *track) span() tally.Interval {
	span := tally.Interval{From: t.runs[0].First.From}
	for _, run := range t.runs {
		span.To = max(span.To, run.last().From, run.last().To, run.First.To)
	}
	return span
}

// lastFrom returns when the last watch began.
func (t *track) lastFrom() audit.Time { return t.runs[len(t.runs)-1].last().From }

// appendSample appends the watches that are known individually: the first and the
// last of each run. If the track is exact, that is all of them.
func (t *track) appendSample(rounds []round) []round {
	for _, run := range t.runs {
		if !run.First.Refused {
			rounds = append(rounds, round{run.First, run})
		}
		if !run.single() && !run.Last.Refused {
			rounds = append(rounds, round{*run.Last, run})
		}
	}
	return rounds
}

// crowded reports whether, from some time on, so many watches were open side by
// side that they must be several clients': the sum of the times they were open
// is more than one and a half times as long as at least one was open. The half
// is for a single client that leaves a dead connection behind now and then.
func (t *track) crowded(from audit.Time) bool {
	var open, covered time.Duration
	var until audit.Time
	for _, run := range t.runs {
		if run.First.From < from {
			continue
		}
		open += run.open()
		end := max(run.last().To, run.First.To, run.last().From)
		if start := max(run.First.From, until); end > start {
			covered += end.Sub(start)
			until = end
		}
	}
	return open > covered+covered/2
}
