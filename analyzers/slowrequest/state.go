package slowrequest

import (
	"cmp"
	"math"
	"math/bits"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// fastBounds are the upper bounds of the buckets for latencies that are not kept
// in detail: the doublings of a millisecond, and what the API server's own log
// sorts by (200 ms).
var fastBounds = [...]time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 16 * time.Millisecond,
	32 * time.Millisecond, 64 * time.Millisecond, 128 * time.Millisecond, bound200, 256 * time.Millisecond, annotatedFrom,
}

const (
	fastBuckets = len(fastBounds)
	bound200    = 200 * time.Millisecond
	below200    = 9 // so many buckets are
)

// fastBucket returns the bucket of a latency below annotatedFrom.
func fastBucket(took time.Duration) int {
	i := bits.Len64(uint64(took / time.Millisecond))
	if took >= bound200 {
		i++
	}
	return i
}

// annotatedFrom is from when on the API server says what the time went for.
// Slower requests than that are kept in detail.
const annotatedFrom = 500 * time.Millisecond

// A State is the requests of one client, verb and resource: 100 bytes if all
// are fast, else some 8 KiB at most.
type State struct {
	Fast [fastBuckets]int64 `json:"fast"` // by fastBounds
	Slow *Slow              `json:"slow,omitempty"`
}

// A Slow is what is kept of the slow ones.
type Slow struct {
	Took    tally.Histogram    `json:"took"`
	Doubled Doubled            `json:"doubled"`
	Longest tally.Sample[life] `json:"longest"`
	Split   Split              `json:"split"`
	Refused int64              `json:"refused,omitempty"` // answered 429

	Hooks      tally.Set          `json:"hooks"` // webhooks that timed out
	Failed     int64              `json:"failed,omitempty"`
	FailedOpen int64              `json:"failedOpen,omitempty"`
	HookRefs   tally.Refs         `json:"hookRefs"`
	Whole      [maxHook + 1]int64 `json:"whole"` // of writes, by the whole second that they took
	WholeRefs  tally.Refs         `json:"wholeRefs"`
}

// A life is one slow request.
type life struct {
	Took time.Duration `json:"took"`
	From audit.Time    `json:"from"`
	Ref  audit.Ref     `json:"ref"`
}

// Compare orders the longest first.
func (l life) Compare(o life) int {
	return cmp.Or(cmp.Compare(o.Took, l.Took), l.Ref.Compare(o.Ref))
}

func newSlow() *Slow {
	return &Slow{Doubled: newDoubled(), Longest: tally.Sample[life]{K: 8}, Hooks: tally.Set{Cap: 4}, HookRefs: tally.Refs{K: 6}, WholeRefs: tally.Refs{K: 6}}
}

// Observe takes in a request that ended.
func (s *State) Observe(e *audit.Event) {
	took := max(0, e.At.Sub(e.Received))
	if took < annotatedFrom {
		s.Fast[fastBucket(took)]++
		return
	}
	if s.Slow == nil {
		s.Slow = newSlow()
	}
	s.Slow.add(e, took)
}

func (s *Slow) add(e *audit.Event, took time.Duration) {
	s.Took.Add(took)
	s.Doubled.add(e.At, took)
	s.Split.add(e)
	s.Longest.Offer(
		func(kept *life) int { return cmp.Or(cmp.Compare(kept.Took, took), e.CompareRef(&kept.Ref)) },
		func() life { return life{Took: took, From: e.Received, Ref: e.Ref()} })
	if e.Code == 429 {
		s.Refused++
	}
	if second := wholeSecond(took); second > 0 && hooked(e) {
		s.Whole[second]++
		s.WholeRefs.Add(e)
	}
	if !hookTimed(e, took) {
		return
	}
	switch {
	case failedFor(e, s.Hooks.Add):
		s.Failed++
		s.HookRefs.Add(e)
	case wentWithout(e, s.Hooks.Add):
		s.FailedOpen++
		s.HookRefs.Add(e)
	}
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	for i, n := range o.Fast {
		s.Fast[i] += n
	}
	if o.Slow != nil {
		if s.Slow == nil {
			s.Slow = newSlow()
		}
		s.Slow.merge(o.Slow)
	}
}

// atLeast returns how many took so long: exactly, if that is half a second or a
// doubling of it.
func (s *Slow) atLeast(limit time.Duration) int64 {
	if n, ok := s.Doubled.atLeast(limit); ok {
		return n
	}
	return s.Took.AtLeast(limit)
}

func (s *Slow) merge(o *Slow) {
	s.Took.Merge(&o.Took)
	s.Doubled.merge(&o.Doubled)
	s.Longest.Merge(&o.Longest)
	s.Split.merge(&o.Split)
	s.Refused += o.Refused
	s.Hooks.Merge(&o.Hooks)
	s.Failed += o.Failed
	s.FailedOpen += o.FailedOpen
	s.HookRefs.Merge(&o.HookRefs)
	for i, n := range o.Whole {
		s.Whole[i] += n
	}
	s.WholeRefs.Merge(&o.WholeRefs)
}

// count returns how many requests there were.
func (s *State) count() (n int64) {
	for _, fast := range s.Fast {
		n += fast
	}
	return n + s.Slow.Took.Count()
}

// quantile returns the latency that a share q of the requests does not exceed:
// within 1.6 % from half a second on, else the upper bound of its bucket.
func (s *State) quantile(q float64) time.Duration {
	rank := max(1, int64(math.Ceil(q*float64(s.count()))))
	fast := int64(0)
	for i, n := range s.Fast {
		if fast += n; rank <= fast {
			return fastBounds[i]
		}
	}
	// Half a rank less, so that no rounding makes it the next.
	return s.Slow.Took.Quantile((float64(rank-fast) - 0.5) / float64(s.Slow.Took.Count()))
}

// buckets counts the requests as the API server's own log sorts latencies.
func (s *State) buckets() map[string]int {
	var fast, medium int64
	for i, n := range s.Fast {
		if i < below200 {
			fast += n
		} else {
			medium += n
		}
	}
	second, minute := s.Slow.atLeast(time.Second), int64(0)
	if s.Slow.Took.Max() >= time.Minute {
		minute = s.Slow.Took.AtLeast(time.Minute)
	}
	return map[string]int{
		"200ms": int(fast), "1s": int(medium + s.Slow.Took.Count() - second), "1m": int(second - minute), "above": int(minute),
	}
}

// constant returns the whole second that most writes took which took one, and
// how many took it: if it is many, half of the slow ones took some whole second,
// and next to none about as long. Then something waits for a timer. Of latencies
// of one or two seconds some are near a whole one on any slow machine: of these
// it takes twice as many.
func (s *Slow) constant(many int) (second int, n int64) {
	all := int64(0)
	for i, count := range s.Whole {
		all += count
		if count > n {
			second, n = i, count
		}
	}
	if second <= 2 {
		many *= 2
	}
	if n < int64(max(2, many)) || 2*all < s.Took.AtLeast(time.Second-early) || 5*n < 4*s.about(second) {
		return 0, 0
	}
	return second, n
}

// about counts the requests that took as long as that, give or take half a second.
func (s *Slow) about(second int) int64 {
	middle := time.Duration(second) * time.Second
	n := s.Took.AtLeast(middle - time.Second/2)
	if s.Took.Max() >= middle+time.Second/2 {
		n -= s.Took.AtLeast(middle + time.Second/2)
	}
	return n
}
