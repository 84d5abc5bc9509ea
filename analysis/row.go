package analysis

import "github.com/kaudit/kaudit/audit"

// A rowKey is what most keys are made of: who asks for what. Events of one row
// belong to the same states, of the analyzers that say so (Analyzer.RowKeys),
// so they are looked up once an event and not once an analyzer.
type rowKey struct {
	verb, user, agent, ip        audit.Sym
	group, resource, subresource audit.Sym
}

func (k rowKey) quick() uint64 {
	h := place(k.verb)*place1 + place(k.user)*place2 + place(k.agent)*place3 + place(k.ip)*place4 +
		place(k.group)*place5 + place(k.resource)*place6 + place(k.subresource)*place7
	return h ^ h>>29
}

// A row remembers what belongs to a rowKey. It may hold what was dropped
// since: what drops keys drops them for good, so nobody asks for that again.
type row struct {
	states   []rowState
	room     [3]rowState     // for as many states as most rows have, at hand with the row
	client   *clientTotal    // of the facts; nil if not known
	resource *resourceWrites // likewise

	role role // of the user, and its bit; see seenFacts
	who  uint64

	scope     *namespaceWrites // of the resource in this namespace, which was written last
	namespace audit.Sym
}

// A rowState is an analyzer's state for all events of the row, or nil if it
// has none.
type rowState struct {
	analyzer int
	state    State
}

// state returns the state of an analyzer, if it is known.
func (r *row) state(analyzer int) (s State, known bool) {
	for i := range r.states {
		if r.states[i].analyzer == analyzer {
			return r.states[i].state, true
		}
	}
	return nil, false
}

// maxRows is how many rows are remembered, in some two megabytes. A cluster of
// a thousand nodes has more; then those that come often are found again.
const maxRows = 8192

type rows struct{ index[rowKey, *row] }

// of returns the event's row.
func (x *rows) of(e *audit.Event) *row {
	key := rowKey{e.Verb, e.Actor(), e.UserAgent, e.ClientIP(), e.Group, e.Resource, e.Subresource}
	if r, ok := x.get(key); ok {
		return r
	}
	if len(x.rows) >= maxRows {
		x.index = index[rowKey, *row]{}
	}
	r := new(row)
	r.states = r.room[:0]
	x.put(key, r)
	return r
}
