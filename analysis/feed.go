package analysis

import (
	"sync"

	"github.com/kaudit/kaudit/audit"
)

// A Feed is how one worker gives events to a shard that workers share. What is
// found out of an event before a state is reached (its class, its row, who
// wants it) is the feed's own; behind it the facts and each analyzer's states
// have a lock, taken once a batch. So there is one state a key however many
// workers there are, and what they wait for is no more than the turn of one
// analyzer: the others can be served meanwhile.
type Feed struct {
	shard  *Shard
	router *router
	rows   rows
	keys   []Key // scratch

	// Of the batch that is being given:
	ofRow []*row       // by event; nil: not given to analyzers
	to    [][]delivery // by lane
	left  []int        // lanes not served yet
}

// A delivery is an event of a batch that goes to an analyzer.
type delivery struct {
	event int
	rowed bool
}

// The lanes of a shard: that of the facts, and one an analyzer.
const (
	laneFacts     = 0
	firstAnalyzer = 1
)

// A lane is who waits for the facts or for the states of one analyzer.
type lane struct {
	sync.Mutex
	_ [56]byte // no two in one cache line
}

// NewFeed returns a feed of s, for one goroutine. Feeds of one shard may be
// used side by side, while nothing else is done with the shard.
func (s *Shard) NewFeed() *Feed {
	return &Feed{shard: s, router: newRouter(s.analyzers), to: make([][]delivery, len(s.lanes))}
}

// Observe takes in events. selected says of each what the argument of
// [Shard.Observe] does.
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

// sort finds out which lanes the events go to, and reports whether there are
// some of own logs, which go to none.
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

// observeOwn takes in what comes of own logs. It is rare, and may be for
// anything in the shard.
func (f *Feed) observeOwn(events []audit.Event, selected []bool) {
	defer f.shard.lockAll()()
	for i := range events {
		if events[i].Origin != audit.OriginAudit {
			f.shard.observeOwn(&events[i], selected[i])
		}
	}
}

// FindingsSoFar returns what would be found if the log ended here, and false if
// stop said so before it was whole. The feeds of s wait meanwhile. Requests of
// httplog that stand in for others do not count yet.
func (s *Shard) FindingsSoFar(settings Settings, stop func() bool) (findings []Finding, whole bool) {
	defer s.lockAll()()
	findings, _, whole = s.findings(settings, stop, false)
	return findings, whole
}

// lockAll takes the lock of every lane and returns what gives them back. Who
// has one lane waits for no other, so the order does not matter.
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

// next takes the lock of a lane that is left: of one that is free, if any is.
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

// serve gives a lane, whose lock is held, what goes to it.
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

// give gives an event to the states of one analyzer that it belongs to.
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

// giveByKeys gives e to the states of an analyzer that its keys tell.
func (f *Feed) giveByKeys(e *audit.Event, selected bool, analyzer int) {
	a := f.shard.analyzers[analyzer]
	f.keys = a.Keys(e, f.keys[:0])
	for i := range f.keys {
		if state := f.shard.books[analyzer].state(f.keys[i], a.New); state != nil {
			give(state, e, selected)
		}
	}
}

// stateOf returns the one state of an analyzer that e belongs to, or nil.
func (f *Feed) stateOf(e *audit.Event, analyzer int) State {
	a := f.shard.analyzers[analyzer]
	f.keys = a.Keys(e, f.keys[:0])
	if len(f.keys) == 0 {
		return nil
	}
	return f.shard.books[analyzer].state(f.keys[0], a.New)
}

func give(state State, e *audit.Event, selected bool) {
	if selected {
		state.Observe(e)
	} else if c, ok := state.(Closer); ok {
		c.Close(e)
	}
}
