package parser

// An envelope is a JSON object that carries events in its values. Which it is,
// its keys tell; where the events are, its paths.
//
// A new one is a row in the list; what is no row (an object that is an event
// in other words) is a file with an open function.
type envelope struct {
	shape Shape
	need  keySet // all of these must be there
	not   keySet // and none of these; an event's own keys are added unless needed
	paths []path // to what it carries
	label []path // the first that is there names the log
	stamp []path
	cut   bool // it cuts what is too long
	open  func(d *Decoder, t text, m *members) bool
}

// A path leads to values inside an object. A step is a key, an index of an
// array such as "1", or "[]" for each of its elements.
type path struct {
	key   key
	steps []string
}

// events' own keys: what has one of these is no envelope but an event, or
// something of Kubernetes, unless the row says so.
var own = keysOf(keyAuditIDOf, keyStageOf, keyAPIVersionOf)

// openEnvelope opens a text that is an object of a known kind.
func (d *Decoder) openEnvelope(t *text) bool {
	if d.openDocker(t) {
		return true
	}
	m := &d.members
	if !m.scan(t.data) {
		return false
	}
	for i := range envelopes {
		e := &envelopes[i]
		if m.set&e.need != e.need || m.set&(e.not|own&^e.need) != 0 {
			continue
		}
		if e.open != nil && e.open(d, *t, m) || e.open == nil && d.openPaths(t, m, e) {
			return true
		}
	}
	return false
}

// openPaths holds what the envelope's paths lead to. It reports false if that
// is nothing.
func (d *Decoder) openPaths(t *text, m *members, e *envelope) bool {
	base := *t
	base.shapes, base.cut = base.shapes.with(e.shape), base.cut || e.cut
	if label := m.firstText(t.data, e.label); label != nil {
		base.label = label
	}
	if stamp := m.firstText(t.data, e.stamp); stamp != nil {
		base.stamp = stamp
	}
	first := len(d.texts)
	for i := range e.paths {
		p := &e.paths[i]
		if s, ok := m.value(p.key); ok {
			d.follow(&base, s.start, s.end, p.steps)
		}
	}
	d.turn(first)
	return len(d.texts) > first
}

// follow holds the values to which steps lead from the value at data[start:end].
func (d *Decoder) follow(t *text, start, end int, steps []string) {
	b := t.data
	if len(steps) == 0 {
		d.holdValue(t, start, end)
		return
	}
	if b[start] == '{' {
		if i, j, ok := member(b, start, steps[0]); ok {
			d.follow(t, i, j, steps[1:])
		}
		return
	}
	if b[start] != '[' {
		return
	}
	i, empty := enter(b, start, '[', ']')
	for n, more := 0, !empty; more; n++ {
		j := skip(b, i)
		if j < 0 {
			return
		}
		if steps[0] == "[]" || len(steps[0]) == 1 && int(steps[0][0]-'0') == n {
			d.follow(t, i, j, steps[1:])
		}
		if i, more = comma(b, j, ']'); i < 0 {
			return
		}
	}
}

// holdValue holds the value at data[start:end] if it may carry something: an
// object or array as it stands, a string without its escapes.
func (d *Decoder) holdValue(t *text, start, end int) {
	switch t.data[start] {
	case '{', '[':
		d.hold(t.inside(start, end))
	case '"':
		from := len(d.arena)
		arena, after := unquote(d.arena, t.data, start+1)
		if after == end {
			d.arena = arena
			d.hold(t.holding(arena[from:], start))
		}
	}
}

// member returns where the value of a key stands in the object at i.
func member(b []byte, i int, name string) (start, end int, ok bool) {
	i, empty := enter(b, i, '{', '}')
	for more := !empty && i >= 0; more; {
		from := i
		if i = skipKey(b, i); i < 0 {
			return 0, 0, false
		}
		found := keyIs(b[from:i], name)
		start = space(b, i)
		if i = skip(b, start); i < 0 {
			return 0, 0, false
		}
		if found {
			return start, i, true
		}
		if i, more = comma(b, i, '}'); i < 0 {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// keyIs reports whether a key, with its quotes and what stands up to its
// value, is the given one.
func keyIs(b []byte, name string) bool {
	return len(b) > len(name)+1 && string(b[1:len(name)+1]) == name && b[len(name)+1] == '"'
}
