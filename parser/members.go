package parser

// A key is the number of a key that the rows of envelopes mention.
type key uint8

// A keySet is a set of keys.
type keySet [maxKeys / 64]uint64

// maxKeys is how many keys a set has room for.
const maxKeys = 128

func (s *keySet) add(k key) { s[k/64] |= 1 << (k % 64) }

func (s *keySet) has(k key) bool { return s[k/64]>>(k%64)&1 != 0 }

// holds reports whether all of o are in s.
func (s *keySet) holds(o *keySet) bool { return s[0]&o[0] == o[0] && s[1]&o[1] == o[1] }

// meets reports whether one of o is in s.
func (s *keySet) meets(o *keySet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

// without returns what is in s and not in o.
func (s keySet) without(o keySet) keySet { return keySet{s[0] &^ o[0], s[1] &^ o[1]} }

// members are where the values of known keys stand in an object.
type members struct {
	set keySet
	at  [maxKeys]place
}

// A place is where a value stands.
type place struct{ start, end int }

// scan looks for the known keys of the object in b. It reports false if b is
// not one object and nothing more, or has a key with an escape.
func (m *members) scan(b []byte, known map[string]key) bool {
	m.set = keySet{}
	i, empty := enter(b, 0, '{', '}')
	if i < 0 || empty {
		return false
	}
	for more := true; more; {
		if i >= len(b) || b[i] != '"' {
			return false
		}
		from := i + 1
		end := special(b, from)
		if i = skipKey(b, i); i < 0 || b[end] == '\\' {
			return false
		}
		start := space(b, i)
		if i = skip(b, start); i < 0 {
			return false
		}
		if k, ok := known[string(b[from:end])]; ok {
			m.set.add(k)
			m.at[k] = place{start, i}
		}
		if i, more = comma(b, i, '}'); i < 0 {
			return false
		}
	}
	return space(b, i) == len(b)
}

// find returns where the value stands to which a path leads, through objects
// only.
func (m *members) find(b []byte, p *path) (at place, ok bool) {
	if !m.set.has(p.key) {
		return place{}, false
	}
	at = m.at[p.key]
	for _, step := range p.steps {
		if b[at.start] != '{' {
			return place{}, false
		}
		if at, ok = member(b, at.start, step); !ok {
			return place{}, false
		}
	}
	return at, true
}

// first returns the first text or number that one of the paths leads to, as
// it stands, without quotes.
func (m *members) first(b []byte, paths []path) []byte {
	for i := range paths {
		if at, ok := m.find(b, &paths[i]); ok {
			if s := scalar(b, at); len(s) > 0 {
				return s
			}
		}
	}
	return nil
}

// scalar returns a text or number as it stands, without quotes.
func scalar(b []byte, at place) []byte {
	switch c := b[at.start]; {
	case c == '"':
		return b[at.start+1 : at.end-1]
	case isDigit(c):
		return b[at.start:at.end]
	}
	return nil
}

// member returns where the value of a key stands in the object at i.
func member(b []byte, i int, name string) (at place, ok bool) {
	i, empty := enter(b, i, '{', '}')
	for more := !empty && i >= 0; more; {
		from := i
		if i = skipKey(b, i); i < 0 {
			return place{}, false
		}
		found := keyIs(b[from:i], name)
		start := space(b, i)
		if i = skip(b, start); i < 0 {
			return place{}, false
		}
		if found {
			return place{start, i}, true
		}
		if i, more = comma(b, i, '}'); i < 0 {
			return place{}, false
		}
	}
	return place{}, false
}

// keyIs reports whether a key, with its quotes and what stands up to its
// value, is the given one.
func keyIs(b []byte, name string) bool {
	return len(b) > len(name)+1 && string(b[1:len(name)+1]) == name && b[len(name)+1] == '"'
}
