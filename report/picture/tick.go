package picture

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Tick is a time on the axis.
type Tick struct {
	X     float64
	Text  string // "" near the edges, where it would not fit
	Minor bool   // it may be left out if there is little room
}

// edge is how near the ends of an axis, in percent, a time has no room.
const edge = 5

// maxTicks is how many times an axis shows.
const maxTicks = 9

const day = 24 * time.Hour

// steps are the distances that ticks may have.
var steps = []time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 7 * day, 14 * day, 28 * day, 91 * day, 364 * day,
}

// ticks returns round times in the span, every second one minor.
func ticks(span Span) []Tick {
	if span.To <= span.From {
		return nil
	}
	step := stepFor(span.Len())
	layout := tickLayout(step, span)
	micros := step.Microseconds()
	var all []Tick
	for n := (int64(span.From) + micros - 1) / micros; n*micros <= int64(span.To); n++ {
		t := audit.Time(n * micros)
		tick := Tick{X: span.X(t), Text: t.Std().Format(layout), Minor: n%2 != 0}
		if tick.X < edge || tick.X > 100-edge {
			tick.Text = ""
		}
		all = append(all, tick)
	}
	return all
}

func stepFor(length time.Duration) time.Duration {
	for _, step := range steps {
		if length/step < maxTicks {
			return step
		}
	}
	step := steps[len(steps)-1]
	for length/step >= maxTicks {
		step *= 2
	}
	return step
}

func tickLayout(step time.Duration, span Span) string {
	switch {
	case step >= day:
		return "01-02"
	case span.From.Std().Format(time.DateOnly) != span.To.Std().Format(time.DateOnly):
		return "01-02 15:04"
	case step >= time.Minute:
		return "15:04"
	case step >= time.Second:
		return time.TimeOnly
	}
	return "15:04:05.000"
}
