package analysis

import "github.com/kaudit/kaudit/audit"

// A router tells which analyzers want an event, by its class. A log has a few dozen
// classes, so the routes of these are remembered.
type router struct {
	wants, rowed [][]audit.Class // Wants and RowKeys by analyzer, as Class.Any makes them
	known        [256]route      // by hash of the class
}

// A route is where the events of a class go.
type route struct {
	class audit.Class
	to    []stop // by index of analyzer
}

// A stop is an analyzer that wants an event.
type stop struct {
	analyzer int  // its index in Shard.analyzers
	rowed    bool // the event's row tells which state it is for (see Analyzer.RowKeys)
}

func newRouter(analyzers []*Analyzer) *router {
	r := &router{wants: make([][]audit.Class, len(analyzers)), rowed: make([][]audit.Class, len(analyzers))}
	for i, a := range analyzers {
		if r.wants[i] = filledIn(a.Wants); len(a.Wants) == 0 {
			r.wants[i] = []audit.Class{audit.Class(0).Any()}
		}
		r.rowed[i] = filledIn(a.RowKeys)
	}
	return r
}

// filledIn returns the patterns as Class.Any makes them.
func filledIn(patterns []audit.Class) []audit.Class {
	var all []audit.Class
	for _, pattern := range patterns {
		all = append(all, pattern.Any())
	}
	return all
}

// to returns where events of a class go. The result is valid until the next call.
func (r *router) to(class audit.Class) []stop {
	known := &r.known[uint64(class)*place1>>56]
	if known.class != class {
		known.class, known.to = class, known.to[:0]
		for i := range r.wants {
			if wanted(r.wants[i], class) {
				known.to = append(known.to, stop{i, wanted(r.rowed[i], class)})
			}
		}
	}
	return known.to
}

// wanted reports whether a class fits one of the patterns.
func wanted(patterns []audit.Class, class audit.Class) bool {
	for _, pattern := range patterns {
		if class&^pattern == 0 {
			return true
		}
	}
	return false
}

// KeysOf appends to keys the analyzer's keys of e: none if e does not fit Wants. It is for
// tests; a Feed checks Wants once per class, not per event.
func (a *Analyzer) KeysOf(e *audit.Event, keys []Key) []Key {
	class := e.Classify()
	for _, pattern := range a.Wants {
		if pattern.Holds(class) {
			return a.Keys(e, keys)
		}
	}
	if len(a.Wants) > 0 {
		return keys
	}
	return a.Keys(e, keys)
}
