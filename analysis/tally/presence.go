package tally

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Presence is a Cover that knows its gaps to the microsecond: it keeps the last time
// before each gap of two steps or more, and the first one after it. A gap only becomes
// smaller as more is added, so a time that is dropped is never needed later.
type Presence struct {
	Cover

	lasts, firsts []brink // by step

	step Interval // the step of the last Add
	here Span     // what was added to it and is not yet in lasts and firsts
}

// A brink is a step with the first or the last time in it, at the edge of a gap.
type brink struct {
	Step int64      `json:"s"`
	At   audit.Time `json:"t"`
}

// Add takes in t.
func (p *Presence) Add(t audit.Time) {
	if t == 0 {
		return
	}
	if p.step.From <= t && t < p.step.To {
		p.here.Add(t)
		return
	}
	p.Settle()
	old := p.Cover.step()
	p.Cover.Add(t)
	p.coarsen(old)
	p.step = p.stepOf(t)
	p.here = Span{t, t}
}

// Settle moves what was added to the last step into lasts and firsts. Until the next Add,
// all that is asked leaves p as it is.
func (p *Presence) Settle() {
	if p.here.Empty() {
		return
	}
	n := p.number(p.here.First)
	p.firsts = put(p.firsts, brink{n, p.here.First}, earlier)
	p.lasts = put(p.lasts, brink{n, p.here.Last}, later)
	p.step, p.here = Interval{}, Span{}
	for i := n - gapSteps; i <= n+gapSteps; i++ {
		p.drop(i)
	}
}

// gapSteps is how many steps without anything are a gap.
const gapSteps = 2

// drop drops the brinks of a step that are at no gap.
func (p *Presence) drop(n int64) {
	if p.any(n-gapSteps, n-1) {
		p.firsts = cut(p.firsts, n)
	}
	if p.any(n+1, n+gapSteps) {
		p.lasts = cut(p.lasts, n)
	}
}

// Merge takes in what o holds.
func (p *Presence) Merge(o *Presence) {
	p.Settle()
	o.Settle()
	mine, its := p.Cover.step(), o.Cover.step()
	p.Cover.Merge(&o.Cover)
	p.coarsen(mine)
	o.firsts, o.lasts = p.scaled(o.firsts, its, earlier), p.scaled(o.lasts, its, later)
	for _, b := range o.firsts {
		p.firsts = put(p.firsts, b, earlier)
	}
	for _, b := range o.lasts {
		p.lasts = put(p.lasts, b, later)
	}
	p.dropAll()
}

// coarsen follows the cover if its steps, which were old microseconds long, have grown.
func (p *Presence) coarsen(old int64) {
	if p.Cover.step() > old {
		p.firsts, p.lasts = p.scaled(p.firsts, old, earlier), p.scaled(p.lasts, old, later)
		p.dropAll()
	}
}

// scaled converts brinks of steps of another length to the cover's steps.
func (p *Presence) scaled(brinks []brink, step int64, better func(a, b audit.Time) bool) []brink {
	if p.Cover.step() == step {
		return brinks
	}
	var scaled []brink
	for _, b := range brinks {
		scaled = put(scaled, brink{p.number(b.At), b.At}, better)
	}
	return scaled
}

func (p *Presence) dropAll() {
	for _, b := range append(slices.Clone(p.firsts), p.lasts...) {
		p.drop(b.Step)
	}
}

// Gaps returns the gaps of at least minimum between what was added, counted in
// whole steps without anything, from the last time before each to the first
// after it. A minimum below two steps is two steps.
func (p *Presence) Gaps(minimum time.Duration) []Interval {
	p.Settle()
	gaps := p.Cover.Gaps(max(minimum, gapSteps*p.Step()))
	for i := range gaps {
		gaps[i] = Interval{
			at(p.lasts, p.number(gaps[i].From)-1, gaps[i].From),
			at(p.firsts, p.number(gaps[i].To), gaps[i].To),
		}
	}
	return gaps
}

// number returns the number of the step that holds t.
func (p *Presence) number(t audit.Time) int64 { return floorDiv(int64(t), p.Cover.step()) }

// any reports whether any of the steps has anything.
func (p *Presence) any(from, to int64) bool {
	for n := from; n <= to; n++ {
		i, found := slices.BinarySearchFunc(p.Words, n>>6, func(w Word, index int64) int { return cmp.Compare(w.Index, index) })
		if found && p.Words[i].Bits>>(n&63)&1 != 0 {
			return true
		}
	}
	return false
}

// MarshalJSON writes what UnmarshalJSON reads.
func (p *Presence) MarshalJSON() ([]byte, error) {
	p.Settle()
	return json.Marshal(savedPresence{p.Cover, p.firsts, p.lasts})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Presence) UnmarshalJSON(b []byte) error {
	var saved savedPresence
	if err := json.Unmarshal(b, &saved); err != nil {
		return err
	}
	*p = Presence{Cover: saved.Cover, firsts: saved.Firsts, lasts: saved.Lasts}
	return nil
}

type savedPresence struct {
	Cover  Cover   `json:"cover"`
	Firsts []brink `json:"firsts,omitempty"`
	Lasts  []brink `json:"lasts,omitempty"`
}

func earlier(a, b audit.Time) bool { return a < b }
func later(a, b audit.Time) bool   { return a > b }

// put adds a brink. Of two in one step it keeps the better one.
func put(brinks []brink, b brink, better func(a, b audit.Time) bool) []brink {
	i, found := find(brinks, b.Step)
	if !found {
		return slices.Insert(brinks, i, b)
	}
	if better(b.At, brinks[i].At) {
		brinks[i].At = b.At
	}
	return brinks
}

// cut removes the brink of a step.
func cut(brinks []brink, step int64) []brink {
	if i, found := find(brinks, step); found {
		return slices.Delete(brinks, i, i+1)
	}
	return brinks
}

// at returns the time of a step's brink, or another one if there is none.
func at(brinks []brink, step int64, other audit.Time) audit.Time {
	if i, found := find(brinks, step); found {
		return brinks[i].At
	}
	return other
}

// find looks from the end: logs are in order as a rule.
func find(brinks []brink, step int64) (int, bool) {
	if n := len(brinks); n == 0 || brinks[n-1].Step < step {
		return n, false
	}
	return slices.BinarySearchFunc(brinks, step, func(b brink, step int64) int { return cmp.Compare(b.Step, step) })
}
