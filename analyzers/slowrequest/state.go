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

// fastBounds are the upper bounds of the buckets that count fast requests:
// doublings of a millisecond, and 200 ms, the lowest class of latencies in the
// API server's own log.
var fastBounds = [...]time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 4 * time.Millisecond, 8 * time.Millisecond, 16 * time.Millisecond,
	32 * time.Millisecond, 64 * time.Millisecond, 128 * time.Millisecond, bound200, 256 * time.Millisecond, annotatedFrom,
}

const (
	fastBuckets = len(fastBounds)
	bound200    = 200 * time.Millisecond
	below200    = 9 // number of buckets up to 200 ms
)

// fastBucket returns the bucket of a latency below annotatedFrom.
func fastBucket(took time.Duration) int {
	i := bits.Len64(uint64(took / time.Millisecond))
	if took >= bound200 {
		i++
	}
	return i
}

// annotatedFrom is the latency from which on the API server writes where the
// time went: see latencyPrefix. Requests that took as long are kept in detail.
const annotatedFrom = 500 * time.Millisecond

// A State holds the requests of one client, verb and resource. It takes 100
// bytes if all are fast, else 8 KiB at most.
type State struct {
	Fast [fastBuckets]int64 `json:"fast"`           // number of requests by fastBounds
	Slow *Slow              `json:"slow,omitempty"` // nil if all are fast
}

// A Slow holds the requests that took annotatedFrom or longer.
type Slow struct {
	Took    tally.Histogram    `json:"took"`
	Doubled Doubled            `json:"doubled"`
	Longest tally.Sample[life] `json:"longest"`
	Split   Split              `json:"split"`
	Refused int64              `json:"refused,omitempty"` // requests answered 429

	Hooks      tally.Set          `json:"hooks"`                // names of webhooks that timed out
	Failed     int64              `json:"failed,omitempty"`     // requests that failed because a webhook timed out
	FailedOpen int64              `json:"failedOpen,omitempty"` // requests that went on without it (failurePolicy Ignore)
	HookRefs   tally.Refs         `json:"hookRefs"`             // lines of both
	Whole      [maxHook + 1]int64 `json:"whole"`                // number of writes by the whole second they took: see wholeSecond
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
	s.Split.add(e, took)
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

// Merge takes in another state of the same key.
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

// atLeast returns how many requests took limit or longer. It is exact if limit
// is half a second, doubled any number of times.
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

// quantile returns the latency that a share q of the requests does not exceed.
// From half a second on it is exact to 1.6 %; below, it is the upper bound of its
// bucket.
func (s *State) quantile(q float64) time.Duration {
	rank := max(1, int64(math.Ceil(q*float64(s.count()))))
	fast := int64(0)
	for i, n := range s.Fast {
		if fast += n; rank <= fast {
			return fastBounds[i]
		}
	}
	// Half a rank less, so that rounding can't make it the next rank.
	return s.Slow.Took.Quantile((float64(rank-fast) - 0.5) / float64(s.Slow.Took.Count()))
}

// buckets counts the requests in the classes of the API server's own log: up to
// 200 ms, 1 s, 1 min, and above.
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

// constant returns the whole number of seconds that most writes took, and how
// many took it, if that looks like something that waits for a timer: there are
// many of them, half of all requests of a second or more took some whole number
// of seconds, and next to none took about as long but not exactly. On any slow
// machine some latencies are near one or two seconds, so for these it takes twice
// as many. It returns 0, 0 if there is no such number.
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

// about returns how many requests took that number of seconds, give or take half
// a second.
func (s *Slow) about(second int) int64 {
	middle := time.Duration(second) * time.Second
	n := s.Took.AtLeast(middle - time.Second/2)
	if s.Took.Max() >= middle+time.Second/2 {
		n -= s.Took.AtLeast(middle + time.Second/2)
	}
	return n
}
