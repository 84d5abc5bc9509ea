package audit

import (
	"encoding/binary"
	"math/bits"
	"unique"
	"unsafe"
)

// A Sym is an interned string: a name that recurs in a log, such as a verb, a
// user or a resource. Syms are equal exactly when their texts are, in every
// worker, so they serve as map keys and merge without being interned again. A
// Sym may be kept. For a text longer than MaxText it holds the substitute that
// Bound makes. The zero Sym is the empty string.
//
// Syms have no order of their own: sort by String.
type Sym struct{ h unique.Handle[string] }

// Intern returns the Sym of s. It copies s if it has not seen it before.
func Intern(s string) Sym {
	if s == "" {
		return Sym{}
	}
	return Sym{unique.Make(Bound(s))}
}

// String returns the text of s.
func (s Sym) String() string {
	if s == (Sym{}) {
		return ""
	}
	return s.h.Value()
}

// Address returns a number that is equal for equal Syms and different for
// others, as long as either is kept: the address of the text, which Go does not
// move. It is for hash tables in memory and has no meaning in another run.
func (s Sym) Address() uintptr { return *(*uintptr)(unsafe.Pointer(&s)) }

// MarshalText writes the text of s, so that a Sym is a string in JSON.
func (s Sym) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText interns b.
func (s *Sym) UnmarshalText(b []byte) error {
	*s = Intern(string(b))
	return nil
}

// A Syms interns the names that one decoder reads. Thanks to its cache, a name
// seen before costs one look-up and no allocation. The cache is bounded, so
// hostile or endless names cost time, not memory. A Syms is for one goroutine.
//
// In front of the cache is a table indexed by a hash of a few of a name's
// bytes. It answers for the names that make up most of a log, and comparing a
// name is cheaper than hashing all of it for the map.
type Syms struct {
	recent [1 << 12]recentSym
	cache  map[string]Sym
}

type recentSym struct {
	text string
	sym  Sym
}

// maxSyms bounds a cache: a large cluster has some thousand users, agents,
// resources and namespaces; names of pods are not interned.
const maxSyms = 1 << 14

// Bytes returns the Sym of b, which it does not keep.
func (c *Syms) Bytes(b []byte) Sym {
	if len(b) == 0 {
		return Sym{}
	}
	if len(b) > MaxText {
		b = Bound(b)
	}
	recent := &c.recent[guess(b)%uint64(len(c.recent))]
	if recent.text == string(b) {
		return recent.sym
	}
	s, ok := c.cache[string(b)]
	if !ok {
		s = c.intern(b)
	}
	*recent = recentSym{s.String(), s}
	return s
}

func (c *Syms) intern(b []byte) Sym {
	s := Intern(string(b))
	if c.cache == nil || len(c.cache) >= maxSyms {
		c.cache = make(map[string]Sym, 256)
	}
	c.cache[s.String()] = s
	return s
}

// guess hashes the length, the first and the last bytes of b, and eight from
// its middle: names that share the rest are rare.
func guess(b []byte) uint64 {
	n := uint64(len(b))
	le := binary.LittleEndian
	if len(b) < 8 {
		if len(b) >= 4 {
			return mix(uint64(le.Uint32(b))<<32|uint64(le.Uint32(b[len(b)-4:])), n)
		}
		return mix(uint64(b[0])<<16|uint64(b[len(b)/2])<<8|uint64(b[len(b)-1]), n)
	}
	return mix(le.Uint64(b)^n, le.Uint64(b[len(b)-8:])) ^ mix(le.Uint64(b[len(b)/2-4:]), n)
}

// mix folds the product of two words: each bit of both moves bits everywhere.
func mix(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x^0x9e3779b97f4a7c15, y^0xc2b2ae3d27d4eb4f)
	return hi ^ lo
}
