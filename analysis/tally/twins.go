package tally

import (
	"cmp"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// maxTwins is how many requests are looked at for twins. They take some 16 KiB.
const maxTwins = 256

// minTwins is how many requests must have a twin. A few prove nothing, since clients may
// choose audit IDs, and some choose one for several requests.
const minTwins = 3

// Twins find out whether requests are logged twice: an API server hands its audit ID on to
// the aggregated API server that answers, which then logs the request as well, within the
// time of the first. It looks at the requests whose audit IDs have the smallest hashes.
type Twins struct {
	Kept  []Twin `json:"kept,omitempty"` // in order of ID and URI
	Spilt bool   `json:"spilt,omitempty"`
}

// A Twin is the first two requests of one audit ID and URI.
type Twin struct {
	ID    uint64   `json:"id"`  // hash of the audit ID
	URI   uint64   `json:"uri"` // hash of the URI
	First Interval `json:"first"`
	Next  Interval `json:"next"`
}

func (t *Twin) compare(id, uri uint64) int {
	return cmp.Or(cmp.Compare(t.ID, id), cmp.Compare(t.URI, uri))
}

// add keeps the first two requests, if they were received at different times: an event that
// is read twice is not its own twin.
func (t *Twin) add(i Interval) {
	switch {
	case i.From == 0:
	case i.From == t.First.From:
		t.First.To = max(t.First.To, i.To)
	case i.From == t.Next.From:
		t.Next.To = max(t.Next.To, i.To)
	case t.First.From == 0 || i.From < t.First.From:
		t.First, t.Next = i, t.First
	case t.Next.From == 0 || i.From < t.Next.From:
		t.Next = i
	}
}

func (t *Twin) nested() bool { return t.Next.From != 0 && t.Next.To <= t.First.To }

// Observe takes in the end of a request.
func (s *Twins) Observe(e *audit.Event) {
	id := HashBytes(e.AuditID)
	if n := len(s.Kept); n == maxTwins && id > s.Kept[n-1].ID {
		s.Spilt = true
		return
	}
	if t := s.at(id, HashBytes(e.URI)); t != nil {
		t.add(Interval{From: e.Received, To: e.At})
	}
}

func (s *Twins) at(id, uri uint64) *Twin {
	i, found := slices.BinarySearchFunc(s.Kept, id, func(t Twin, id uint64) int { return t.compare(id, uri) })
	if !found {
		if len(s.Kept) == maxTwins {
			s.Spilt = true
			if i == maxTwins {
				return nil
			}
			s.Kept = s.Kept[:maxTwins-1]
		}
		s.Kept = slices.Insert(s.Kept, i, Twin{ID: id, URI: uri})
	}
	return &s.Kept[i]
}

// Merge takes in what another tally knows.
func (s *Twins) Merge(o *Twins) {
	s.Spilt = s.Spilt || o.Spilt
	for _, theirs := range o.Kept {
		if mine := s.at(theirs.ID, theirs.URI); mine != nil {
			mine.add(theirs.First)
			mine.add(theirs.Next)
		}
	}
}

// Twice returns how many of the requests looked at, of, are logged twice. Fewer than
// minTwins count as none.
func (s *Twins) Twice() (twice, of int) {
	for i := range s.Kept {
		if s.Kept[i].nested() {
			twice++
		}
	}
	if twice < minTwins {
		return 0, len(s.Kept)
	}
	return twice, len(s.Kept)
}
