package analysis

import (
	"sync"

	"github.com/kaudit/kaudit/audit"
)

// A Feed is how one worker passes events to a shard that workers share. Without a lock it
// works out all that needs no state: an event's class, its row, and which analyzers want
// it. The facts have a lock, and so have the states of each analyzer; a feed takes each
// once per batch. So there is one state for a key however many workers there are, and a
// worker that finds the lock of one analyzer taken goes on with another analyzer.
type Feed struct {
	shard  *Shard
	router *router
	rows   rows
	keys   []Key // scratch

	// Of the batch that is being given:
	ofRow []*row       // by event: its row; nil: it is not given to analyzers
	to    [][]delivery // by lane: what goes there
	left  []int        // lanes that are not served yet
}

// A delivery is an event that goes to the facts or to an analyzer.
type delivery struct {
	event int  // its index in the batch
	rowed bool // see stop
}

// The lanes of a shard: one for the facts, then one for each analyzer.
const (
	laneFacts     = 0
	firstAnalyzer = 1
)

// A lane is the lock of the facts or of the states of one analyzer.
type lane struct {
	sync.Mutex
	_ [56]byte // fills a cache line, so that no two locks share one
}

// NewFeed returns a feed of s, for one goroutine. Feeds of one shard may be
// used side by side, while nothing else is done with the shard.
func (s *Shard) NewFeed() *Feed {
	return &Feed{shard: s, router: newRouter(s.analyzers), to: make([][]delivery, len(s.lanes))}
}

// Observe takes in a batch of events. selected has, for each of them, the argument of
// [Shard.Observe].
func (f *Feed) Observe(events []audit.Event, selected []bool) {
	if f.sort(events) {
		f.observeOwn(events, selected)
	}
	for len(f.left) > 0 {
		lane := f.next()
		f.serve(lane, events, selected)
		f.shard.lanes[lane].Unlock()
	}
}

// sort works out to which lanes the events go, and reports whether any are of own logs:
// these go to none.
func (f *Feed) sort(events []audit.Event) (own bool) {
	f.ofRow, f.left = f.ofRow[:0], f.left[:0]
	for i := range f.to {
		f.to[i] = f.to[i][:0]
	}
	for i := range events {
		e := &events[i]
		if e.Origin != audit.OriginAudit {
			f.ofRow, own = append(f.ofRow, nil), true
			continue
		}
		class := e.Classify()
		f.ofRow = append(f.ofRow, f.rows.of(e))
		f.to[laneFacts] = append(f.to[laneFacts], delivery{event: i})
		for _, stop := range f.router.to(class) {
			lane := firstAnalyzer + stop.analyzer
			f.to[lane] = append(f.to[lane], delivery{i, stop.rowed})
		}
	}
	for lane, deliveries := range f.to {
		if len(deliveries) > 0 {
			f.left = append(f.left, lane)
		}
	}
	return own
}

// observeOwn takes in events of own logs. They are rare, and may concern anything in the
// shard, so they are given under all locks.
func (f *Feed) observeOwn(events []audit.Event, selected []bool) {
	defer f.shard.lockAll()()
	for i := range events {
		if events[i].Origin != audit.OriginAudit {
			f.shard.observeOwn(&events[i], selected[i])
		}
	}
}

// FindingsSoFar returns what would be found if the log ended here; whole is false if stop
// ended it early. Feeds of s wait meanwhile. Requests of httplog do not count yet (see
// Settle).
func (s *Shard) FindingsSoFar(settings Settings, stop func() bool) (findings []Finding, whole bool) {
	defer s.lockAll()()
	findings, _, whole = s.findings(settings, stop, inTurn, false)
	return findings, whole
}

// lockAll takes the locks of all lanes and returns a function that gives them back. It
// can't deadlock: whoever else has a lock waits for no other.
func (s *Shard) lockAll() (unlock func()) {
	for i := range s.lanes {
		s.lanes[i].Lock()
	}
	return func() {
		for i := range s.lanes {
			s.lanes[i].Unlock()
		}
	}
}

// next takes the lock of one of the lanes that are left, a free one if there is any.
func (f *Feed) next() (lane int) {
	last := len(f.left) - 1
	for i, lane := range f.left {
		if f.shard.lanes[lane].TryLock() {
			f.left[i] = f.left[last]
			f.left = f.left[:last]
			return lane
		}
	}
	lane = f.left[last]
	f.left = f.left[:last]
	f.shard.lanes[lane].Lock()
	return lane
}

// serve gives a lane what goes to it. Its lock must be held.
func (f *Feed) serve(lane int, events []audit.Event, selected []bool) {
	for _, d := range f.to[lane] {
		e, row := &events[d.event], f.ofRow[d.event]
		if lane == laneFacts {
			f.shard.facts.observe(e, selected[d.event], row)
		} else {
			f.give(e, selected[d.event], row, stop{lane - firstAnalyzer, d.rowed})
		}
	}
}

// give gives an event to those states of one analyzer that it belongs to.
func (f *Feed) give(e *audit.Event, selected bool, row *row, to stop) {
	if !to.rowed {
		f.giveByKeys(e, selected, to.analyzer)
		return
	}
	state, known := row.state(to.analyzer)
	if !known {
		state = f.stateOf(e, to.analyzer)
		row.states = append(row.states, rowState{to.analyzer, state})
	}
	if state != nil {
		give(state, e, selected)
	}
}

// giveByKeys gives e to the states of the keys that an analyzer makes of it.
func (f *Feed) giveByKeys(e *audit.Event, selected bool, analyzer int) {
	a := f.shard.analyzers[analyzer]
	f.keys = a.Keys(e, f.keys[:0])
	for i := range f.keys {
		if state := f.shard.books[analyzer].state(f.keys[i], a.New); state != nil {
			give(state, e, selected)
		}
	}
}

// stateOf returns the state of the only key that an analyzer makes of e, or nil if it
// makes none or the key was dropped.
func (f *Feed) stateOf(e *audit.Event, analyzer int) State {
	a := f.shard.analyzers[analyzer]
	f.keys = a.Keys(e, f.keys[:0])
	if len(f.keys) == 0 {
		return nil
	}
	return f.shard.books[analyzer].state(f.keys[0], a.New)
}

// give gives an event to a state, as one that is selected or not.
func give(state State, e *audit.Event, selected bool) {
	if selected {
		state.Observe(e)
	} else if c, ok := state.(Closer); ok {
		c.Close(e)
	}
}
