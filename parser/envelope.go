package parser

import "strings"

// An envelope is a kind of JSON object that carries events in its values. It is
// recognized by its keys.
type envelope struct {
	shape Shape
	need  keySet // keys that must all be there
	not   keySet // keys of which none may be there: an event's own, unless needed
	paths []path // to the events; the first that leads to something counts
	label []path // to the name of the log; likewise
	stamp []path // to the carrier's time; likewise
	row   *row
}

// A path leads to values inside an object. A step is a key, the index of an
// array's element, or [] for each of its elements.
type path struct {
	key   key
	steps []string
}

// An envelopeTable is the rows, compiled.
type envelopeTable struct {
	keys map[string]key
	rows []envelope
}

// eventOwnKeys are keys of an event itself: an object that has one of these is an
// event or another object of Kubernetes and no envelope, unless its row needs them.
const eventOwnKeys = "auditID stage apiVersion"

var envelopes = compile(rows[:])

func compile(rows []row) *envelopeTable {
	t := &envelopeTable{keys: map[string]key{}}
	ours := t.keySet(eventOwnKeys)
	for i := range rows {
		r := &rows[i]
		need, not := t.keySet(r.need), ours
		if r.own {
			not = keySet{}
		}
		t.rows = append(t.rows, envelope{
			shape: r.shape, need: need, not: not.without(need),
			paths: t.paths(r.in), label: t.paths(r.label), stamp: t.paths(r.stamp), row: r,
		})
	}
	for alias, name := range aliases {
		t.keys[alias] = t.keys[name]
	}
	return t
}

func (t *envelopeTable) keySet(names string) (s keySet) {
	for name := range strings.FieldsSeq(names) {
		s.add(t.key(name))
	}
	return s
}

// key returns the number of a key.
func (t *envelopeTable) key(name string) key {
	k, ok := t.keys[name]
	if !ok {
		if len(t.keys) == maxKeys {
			panic("parser: the rows of envelopes have more keys than a keySet has room for")
		}
		k = key(len(t.keys))
		t.keys[name] = k
	}
	return k
}

func (t *envelopeTable) paths(texts string) (paths []path) {
	for text := range strings.FieldsSeq(texts) {
		steps := strings.Split(text, ".")
		paths = append(paths, path{t.key(steps[0]), steps[1:]})
	}
	return paths
}

// openEnvelope opens a text that is an object of a known kind.
func (d *Decoder) openEnvelope(t *text) bool {
	if d.openDocker(t) {
		return true
	}
	m := &d.members
	if !m.scan(t.data, envelopes.keys) {
		return false
	}
	for i := range envelopes.rows {
		e := &envelopes.rows[i]
		if m.set.holds(&e.need) && !m.set.meets(&e.not) && d.openRow(t, m, e) {
			return true
		}
	}
	return false
}

// openRow holds the texts that an envelope carries. It reports false if there are
// none.
func (d *Decoder) openRow(t *text, m *members, e *envelope) bool {
	if e.row.whole && t.real > 0 {
		return false
	}
	base := *t
	base.cut = base.cut || e.row.cut
	if !e.row.plain || t.shapes == 0 {
		base.shapes = base.shapes.with(e.shape)
	}
	if label := m.first(t.data, e.label); label != nil {
		base.label = label
	} else if t.real > 0 && len(e.label) > 0 {
		return false // what names the log may have been cut off
	}
	if stamp := m.first(t.data, e.stamp); stamp != nil {
		base.stamp = stamp
	}
	first := len(d.texts)
	for i := range e.paths {
		p := &e.paths[i]
		if !m.set.has(p.key) {
			continue
		}
		if e.row.open != nil {
			opened := e.row.open(d, base, m.at[p.key])
			d.turn(first)
			return opened
		}
		if d.follow(&base, m.at[p.key], p.steps); len(d.texts) > first {
			break
		}
	}
	d.turn(first)
	return len(d.texts) > first
}

// follow holds the values to which steps lead from a value.
func (d *Decoder) follow(t *text, at place, steps []string) {
	if len(steps) == 0 {
		d.holdValue(t, at)
		return
	}
	switch t.data[at.start] {
	case '{':
		if in, ok := member(t.data, at.start, steps[0]); ok {
			d.follow(t, in, steps[1:])
		}
	case '[':
		for n, in := range elements(t.data, at.start) {
			if steps[0] == "[]" || len(steps[0]) == 1 && int(steps[0][0]-'0') == n {
				d.follow(t, in, steps[1:])
			}
		}
	}
}

// elements yields where the elements of the array at i stand.
func elements(b []byte, i int) func(yield func(int, place) bool) {
	return func(yield func(int, place) bool) {
		i, empty := enter(b, i, '[', ']')
		for n, more := 0, !empty && i >= 0; more; n++ {
			start := space(b, i)
			end := skip(b, start)
			if end < 0 || !yield(n, place{start, end}) {
				return
			}
			if i, more = comma(b, end, ']'); i < 0 {
				return
			}
		}
	}
}

// holdValue holds a value if it may carry something: an object or array as it
// stands, a string without its escapes.
func (d *Decoder) holdValue(t *text, at place) {
	switch t.data[at.start] {
	case '{', '[':
		d.hold(t.inside(at.start, at.end))
	case '"':
		from := len(d.arena)
		arena, ok := unescape(d.arena, t.data[at.start+1:at.end-1])
		if ok {
			d.arena = arena
			d.hold(t.holding(arena[from:], at.start))
		}
	}
}
