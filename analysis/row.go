package analysis

import "github.com/kaudit/kaudit/audit"

// A rowKey is what most keys are made of: who asks for what. All events of one row belong
// to the same states of those analyzers whose RowKeys say so. So a row is looked up once
// an event, where keys would be looked up once an analyzer.
type rowKey struct {
	verb, user, agent, ip        audit.Sym
	group, resource, subresource audit.Sym
}

func (k rowKey) quick() uint64 {
	h := place(k.verb)*place1 + place(k.user)*place2 + place(k.agent)*place3 + place(k.ip)*place4 +
		place(k.group)*place5 + place(k.resource)*place6 + place(k.subresource)*place7
	return h ^ h>>29
}

// A row remembers what belongs to a rowKey. It may hold a state or a value that was
// dropped since. That does no harm: a key is dropped for good, so what is added to it
// shows nowhere.
type row struct {
	states   []rowState
	room     [4]rowState     // backs states, which are seldom more
	client   *clientTotal    // of the facts; nil if it was not looked up yet
	resource *resourceWrites // likewise

	role role   // of the user: see seenFacts
	who  uint64 // the user's bit: see seenFacts

	scope     *namespaceWrites // of the resource in the namespace that was written last
	namespace audit.Sym        // that namespace
}

// A rowState is an analyzer's state for all events of a row.
type rowState struct {
	analyzer int   // its index in Shard.analyzers
	state    State // nil: the events belong to none
}

// state returns the state of an analyzer. known is false if it was not looked up yet.
func (r *row) state(analyzer int) (s State, known bool) {
	for i := range r.states {
		if r.states[i].analyzer == analyzer {
			return r.states[i].state, true
		}
	}
	return nil, false
}

// maxRows is how many rows are remembered, in some two megabytes. A cluster of a thousand
// nodes has more: all are forgotten then, and those that come often are soon back.
const maxRows = 8192

// rows are the rows that a feed remembers.
type rows struct {
	index[rowKey, *row]
	unused []row
}

// of returns the event's row, a new one if it is not remembered.
func (x *rows) of(e *audit.Event) *row {
	key := rowKey{e.Verb, e.Actor(), e.UserAgent, e.ClientIP(), e.Group, e.Resource, e.Subresource}
	if r, ok := x.get(key); ok {
		return r
	}
	if len(x.rows) >= maxRows {
		x.index = index[rowKey, *row]{}
	}
	r := x.fresh()
	x.put(key, r)
	return r
}

// fresh returns an empty row. Rows are allocated a few at a time.
func (x *rows) fresh() *row {
	if len(x.unused) == 0 {
		x.unused = make([]row, 32)
	}
	r := &x.unused[0]
	x.unused = x.unused[1:]
	r.states = r.room[:0]
	return r
}
