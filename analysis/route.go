package analysis

import "github.com/kaudit/kaudit/audit"

// A router tells which analyzers want to see an event, by its class. A log has
// a few dozen classes, so what was found out for one is remembered.
type router struct {
	wants [][]audit.Class // by analyzer, with the open groups filled in
	known [256]route
}

// A route is the analyzers that want events of a class.
type route struct {
	class audit.Class
	to    []int
}

func newRouter(analyzers []*Analyzer) *router {
	r := &router{wants: make([][]audit.Class, len(analyzers))}
	for i, a := range analyzers {
		if len(a.Wants) == 0 {
			r.wants[i] = []audit.Class{audit.Class(0).Any()}
		}
		for _, pattern := range a.Wants {
			r.wants[i] = append(r.wants[i], pattern.Any())
		}
	}
	return r
}

// to returns the analyzers that want events of a class. It is valid until the
// next call.
func (r *router) to(class audit.Class) []int {
	known := &r.known[uint64(class)*place1>>56]
	if known.class != class {
		known.class, known.to = class, known.to[:0]
		for i := range r.wants {
			if wanted(r.wants[i], class) {
				known.to = append(known.to, i)
			}
		}
	}
	return known.to
}

func wanted(patterns []audit.Class, class audit.Class) bool {
	for _, pattern := range patterns {
		if class&^pattern == 0 {
			return true
		}
	}
	return false
}

// KeysOf returns the keys of e, if it fits Wants.
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
