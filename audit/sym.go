package audit

import (
	"strings"
	"unique"
)

// A Sym is an interned string: a name that comes again and again in a log,
// such as a verb, a user or a resource. Syms are equal exactly when their
// texts are, in every worker, so they serve as map keys and merge without
// being interned again. A Sym may be kept. The zero Sym is the empty string.
//
// Syms have no order of their own: sort by String.
type Sym struct{ h unique.Handle[string] }

// Intern returns the Sym of s. It copies s if it has not seen it before.
func Intern(s string) Sym {
	if s == "" {
		return Sym{}
	}
	return Sym{unique.Make(s)}
}

// String returns the text of s.
func (s Sym) String() string {
	if s == (Sym{}) {
		return ""
	}
	return s.h.Value()
}

// MarshalText writes the text of s, so that a Sym is a string in JSON.
func (s Sym) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText interns b.
func (s *Sym) UnmarshalText(b []byte) error {
	*s = Intern(string(b))
	return nil
}

// A Syms interns what one decoder reads. Its cache makes a name that was seen
// before cost one look-up and no allocation; it is bounded, so that hostile or
// endless names cost time, not memory. It is for one goroutine.
type Syms struct{ cache map[string]Sym }

// maxSyms bounds a cache: a large cluster has some thousand users, agents,
// resources and namespaces; names of pods are not interned.
const maxSyms = 1 << 14

// maxSymLen is the longest text worth caching. Longer ones are interned anew
// each time.
const maxSymLen = 1 << 10

// Bytes returns the Sym of b, which it does not keep.
func (c *Syms) Bytes(b []byte) Sym {
	if len(b) == 0 {
		return Sym{}
	}
	if s, ok := c.cache[string(b)]; ok {
		return s
	}
	s := Intern(string(b))
	if len(b) <= maxSymLen {
		if c.cache == nil || len(c.cache) >= maxSyms {
			c.cache = make(map[string]Sym, 256)
		}
		c.cache[strings.Clone(s.String())] = s
	}
	return s
}

// Len returns how many names the cache holds.
func (c *Syms) Len() int { return len(c.cache) }
