package tally

import (
	"cmp"
	"slices"
	"strings"
)

// defaultSet is how many members a set keeps: enough to name some and to
// estimate the rest within a quarter.
const defaultSet = 32

// A Set holds strings: all of them up to Cap, else those with the smallest
// hashes.
type Set struct {
	Cap   int      `json:"cap,omitempty"` // 0 is 32
	Kept  []Member `json:"kept,omitempty"`
	Spilt bool     `json:"spilt,omitempty"` // there were more than Cap
}

// A Member is a string of a Set, with its Hash. Members are ordered by it.
type Member struct {
	Hash uint64 `json:"hash"`
	Name string `json:"name"`
}

// Compare orders members by hash, then by name.
func (m Member) Compare(o Member) int {
	if c := cmp.Compare(m.Hash, o.Hash); c != 0 {
		return c
	}
	return strings.Compare(m.Name, o.Name)
}

// Add takes in name, which it copies if it is kept: it may be part of a buffer that changes.
func (s *Set) Add(name string) {
	if len(s.Kept) <= few { // most sets have a member or two, and get them again and again
		for i := range s.Kept {
			if s.Kept[i].Name == name {
				return
			}
		}
	}
	s.add(Member{Hash(name), name}, true)
}

// few is up to how many names comparing with all is faster than hashing one.
const few = 4

// AddBytes takes in string(name), which it copies only if it is kept.
func (s *Set) AddBytes(name []byte) { s.Add(view(name)) }

// Merge takes in what o holds.
func (s *Set) Merge(o *Set) {
	s.Cap = max(s.Cap, o.Cap)
	s.Spilt = s.Spilt || o.Spilt
	for _, m := range o.Kept {
		s.add(m, false)
	}
}

// Plus makes a Set a cell of [Cells]. It uses up both.
func (s Set) Plus(o Set) Set {
	s.Merge(&o)
	return s
}

func (s *Set) size() int {
	if s.Cap > 0 {
		return s.Cap
	}
	return defaultSet
}

func (s *Set) add(m Member, clone bool) {
	full := len(s.Kept) >= s.size()
	if full && m.Hash > s.Kept[len(s.Kept)-1].Hash {
		s.Spilt = true
		return
	}
	i, found := slices.BinarySearchFunc(s.Kept, m, Member.Compare)
	if found {
		return
	}
	if full {
		s.Spilt = true
		if i == len(s.Kept) {
			return
		}
		s.Kept = s.Kept[:len(s.Kept)-1]
	}
	if clone {
		m.Name = strings.Clone(m.Name)
	}
	s.Kept = slices.Insert(s.Kept, i, m)
}

// Has reports whether name is among the members that are kept.
func (s *Set) Has(name string) bool {
	_, found := slices.BinarySearchFunc(s.Kept, Member{Hash(name), name}, Member.Compare)
	return found
}

// Exact reports whether all members were kept.
func (s *Set) Exact() bool { return !s.Spilt }

// Len returns how many members there are: an estimate, unless the set is
// exact, from how close together the kept hashes lie.
func (s *Set) Len() int {
	n := len(s.Kept)
	if !s.Spilt || n < 2 || s.Kept[n-1].Hash == 0 {
		return n
	}
	// Hashes are spread evenly, so the other kept members are this share of all.
	largest := float64(s.Kept[n-1].Hash) / (1 << 64)
	return int(float64(n-1) / largest)
}

// Members returns the kept members in order of their names.
func (s *Set) Members() []string {
	names := make([]string, len(s.Kept))
	for i, m := range s.Kept {
		names[i] = m.Name
	}
	slices.Sort(names)
	return names
}
