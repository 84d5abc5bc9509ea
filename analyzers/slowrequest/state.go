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

// fastBuckets are for latencies below 512 ms, by the doublings of a millisecond.
const fastBuckets = 10

// annotatedFrom is from when on the API server says what the time went for.
// Slower requests than that are kept in detail.
const annotatedFrom = 500 * time.Millisecond

// A State is the requests of one client, verb and resource: 100 bytes if all
// are fast, else some 8 KiB at most.
type State struct {
	Fast [fastBuckets]int64 `json:"fast"` // [0] is below 1 ms, [i] below 2^i ms
	Slow *Slow              `json:"slow,omitempty"`
}

// A Slow is what is kept of the slow ones.
type Slow struct {
	Took    tally.Histogram    `json:"took"`
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
	return &Slow{Longest: tally.Sample[life]{K: 8}, Hooks: tally.Set{Cap: 4}, HookRefs: tally.Refs{K: 6}, WholeRefs: tally.Refs{K: 6}}
}

// Observe takes in a request that ended.
func (s *State) Observe(e *audit.Event) {
	took := max(0, e.At.Sub(e.Received))
	if took < annotatedFrom {
		s.Fast[min(bits.Len64(uint64(took/time.Millisecond)), fastBuckets-1)]++
		return
	}
	if s.Slow == nil {
		s.Slow = newSlow()
	}
	s.Slow.add(e, took)
}

func (s *Slow) add(e *audit.Event, took time.Duration) {
	s.Took.Add(took)
	s.Split.add(e)
	s.Longest.Offer(
		func(kept *life) int { return cmp.Or(cmp.Compare(kept.Took, took), e.CompareRef(&kept.Ref)) },
		func() life { return life{Took: took, From: e.Received, Ref: e.Ref()} })
	if e.Code == 429 {
		s.Refused++
	}
	if hook, open := hookOf(e); hook != "" {
		s.Hooks.Add(hook)
		s.HookRefs.Add(e)
		if open {
			s.FailedOpen++
		} else {
			s.Failed++
		}
	}
	if second := wholeSecond(took); second > 0 && hooked(e) {
		s.Whole[second]++
		s.WholeRefs.Add(e)
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

func (s *Slow) merge(o *Slow) {
	s.Took.Merge(&o.Took)
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
			return min(annotatedFrom, time.Millisecond<<i)
		}
	}
	return s.Slow.Took.Quantile(float64(rank-fast) / float64(s.Slow.Took.Count()))
}

// constant returns the whole second that most writes took which took one, and
// how many took it: if it is many, and half of the slow ones took some whole
// second. Then something waits for a timer.
func (s *Slow) constant(many int) (second int, n int64) {
	all := int64(0)
	for i, count := range s.Whole {
		all += count
		if count > n {
			second, n = i, count
		}
	}
	if n < int64(max(2, many)) || 2*all < s.Took.AtLeast(time.Second-early) {
		return 0, 0
	}
	return second, n
}
