package tally

import (
	"encoding/json"
	"slices"
	"sort"

	"github.com/kaudit/kaudit/audit"
)

// Pauses keep the long times between one event and the next, by when the requests began,
// with the events on either side, which prove a silence. An event that ends no pause costs
// only a copy of it as the latest so far.
//
// A pause is kept if it lasts at least LeastMicros, and at least 1/Most of the time from the
// first event to the last, so that there are at most Most of them. No pause is missing after
// a merge: a pause of all events lies within a pause of any part of them, and the time of
// that part is no longer than that of all.
type Pauses struct {
	LeastMicros int64   `json:"leastMicros"`
	Most        int     `json:"most"`
	List        []Pause `json:"list,omitempty"` // in order of time; some may have become too short
	First       Spot    `json:"first"`          // the first event of all
	Last        Spot    `json:"last"`           // the last event of all, unless held is later

	// In a log in order of time every event is the last one so far. It is held as a Late,
	// and becomes a Spot only if a pause follows.
	held    Late    `cache:"Last"`
	log     string  `cache:"Last"` // the log of held
	spotter Spotter `cache:"First"`
	settled bool    `cache:"Last"` // Last and List are up to date
}

// A Pause is a time without events.
type Pause struct {
	Before Spot `json:"before"` // the last event before it; empty: it has no beginning
	After  Spot `json:"after"`  // the first event after it; empty: it has no end
}

// Interval returns when the pause was.
func (p *Pause) Interval() Interval { return Interval{p.Before.Began(), p.After.Began()} }

// Add takes in e.
func (p *Pauses) Add(e *audit.Event) {
	p.settled = false
	switch {
	case p.First.empty():
		p.hold(e)
		p.First = p.spotter.Spot(&p.held, p.log)
	case !p.held.follows(e): // nearly always
		if before := p.held.Began(); p.long(before, e.Began()) {
			last := p.spotter.Spot(&p.held, p.log)
			p.hold(e)
			p.replace(len(p.List), len(p.List), Pause{last, p.spotter.Spot(&p.held, p.log)})
			return
		}
		p.hold(e)
	case p.First.follows(e):
		whole := Pause{p.spot(e), p.First}
		p.First = whole.Before
		p.replace(0, 0, whole)
	default:
		p.split(e)
	}
}

func (p *Pauses) hold(e *audit.Event) {
	p.held.Set(e)
	p.log = e.Log
}

func (p *Pauses) spot(e *audit.Event) Spot {
	var late Late
	late.Set(e)
	return p.spotter.Spot(&late, e.Log)
}

// split parts the pause that e fell into, if it fell into one.
func (p *Pauses) split(e *audit.Event) {
	i := sort.Search(len(p.List), func(i int) bool { return p.List[i].After.follows(e) })
	if i == len(p.List) || p.List[i].Before.follows(e) {
		return
	}
	whole, spot := p.List[i], p.spot(e)
	p.replace(i, i+1, Pause{whole.Before, spot}, Pause{spot, whole.After})
}

// replace replaces List[i:j] by those of the pauses that are long.
func (p *Pauses) replace(i, j int, by ...Pause) {
	by = slices.DeleteFunc(by, func(one Pause) bool { return !p.long(one.Before.Began(), one.After.Began()) })
	if p.List = slices.Replace(p.List, i, j, by...); len(p.List) > p.Most {
		p.shrink()
	}
}

// long reports whether a pause would be one.
func (p *Pauses) long(from, to audit.Time) bool { return int64(to-from) >= p.LeastMicros }

// shrink drops pauses that are too short for the time from the first event to the last.
func (p *Pauses) shrink() {
	least := max(p.LeastMicros, int64(p.held.Began()-p.First.Began())/int64(p.Most))
	p.List = slices.DeleteFunc(p.List, func(one Pause) bool {
		return int64(one.After.Began()-one.Before.Began()) < least
	})
}

// settle brings Last and List up to date.
func (p *Pauses) settle() {
	if p.First.empty() {
		return
	}
	p.Last = p.spotter.Spot(&p.held, p.log)
	p.shrink()
}

// Merge takes in what o holds.
func (p *Pauses) Merge(o *Pauses) {
	p.settle()
	o.settle()
	switch {
	case o.First.empty():
		return
	case p.First.empty():
		*p = *o
		return
	}
	// Before the first event and after the last there are pauses as well.
	mine, theirs := p.endless(), o.endless()
	p.List = nil
	for len(mine) > 0 && len(theirs) > 0 {
		p.meet(mine[0], theirs[0])
		if endsFirst(&mine[0], &theirs[0]) {
			mine = mine[1:]
		} else {
			theirs = theirs[1:]
		}
	}
	if o.First.Compare(&p.First) < 0 {
		p.First = o.First
	}
	if o.Last.Compare(&p.Last) > 0 {
		p.Last, p.held, p.log = o.Last, o.held, o.log
	}
	p.shrink()
}

// endless returns the list with a pause before the first event, which has no beginning, and
// one after the last, which has no end.
func (p *Pauses) endless() []Pause {
	return slices.Concat([]Pause{{After: p.First}}, p.List, []Pause{{Before: p.Last}})
}

// meet appends the time that a and b have in common, if it is long.
func (p *Pauses) meet(a, b Pause) {
	if !b.Before.empty() && (a.Before.empty() || b.Before.Compare(&a.Before) > 0) {
		a.Before = b.Before
	}
	if endsFirst(&b, &a) {
		a.After = b.After
	}
	if !a.Before.empty() && !a.After.empty() && p.long(a.Before.Began(), a.After.Began()) {
		p.List = append(p.List, a)
	}
}

func endsFirst(a, b *Pause) bool {
	return !a.After.empty() && (b.After.empty() || a.After.Compare(&b.After) < 0)
}

// At returns the pause that holds the given time, and nil if none is known.
func (p *Pauses) At(at Interval) *Pause {
	p.settle()
	for i := range p.List {
		if one := p.List[i].Interval(); one.From <= at.From && at.To <= one.To {
			return &p.List[i]
		}
	}
	return nil
}

// Ends returns the first event of all and the last one. ok is false if there
// is none.
func (p *Pauses) Ends() (first, last *Spot, ok bool) {
	p.settle()
	return &p.First, &p.Last, !p.First.empty()
}

// savedPauses is the serial form.
type savedPauses Pauses

// MarshalJSON writes what UnmarshalJSON reads.
func (p *Pauses) MarshalJSON() ([]byte, error) {
	p.settle()
	return json.Marshal((*savedPauses)(p))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Pauses) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, (*savedPauses)(p)); err != nil {
		return err
	}
	if !p.Last.empty() {
		p.held, p.log = p.Last.Late(), p.Last.Log()
	}
	return nil
}
