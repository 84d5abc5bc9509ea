package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxTwins is how many requests are looked at for twins, in some 16 KiB.
const maxTwins = 256

// minTwins of them must have one for a note: an audit ID is the client's to
// choose, and some choose one for many requests.
const minTwins = 3

// A twinSample looks at the requests whose audit IDs have the smallest hashes,
// for those that are logged twice: an API server hands its audit ID on to the
// aggregated API server that answers, and that one logs the request too, within
// the time of the other.
type twinSample struct {
	Kept  []twins `json:"kept,omitempty"` // in order of ID and URI
	Spilt bool    `json:"spilt,omitempty"`
}

// twins are the first two requests of one audit ID and URI.
type twins struct {
	ID    uint64         `json:"id"`  // hash of the audit ID
	URI   uint64         `json:"uri"` // hash of the URI
	First tally.Interval `json:"first"`
	Next  tally.Interval `json:"next"`
}

func (t *twins) compare(id, uri uint64) int {
	return cmp.Or(cmp.Compare(t.ID, id), cmp.Compare(t.URI, uri))
}

// add keeps the first two that were received at different times: an event that
// is read twice is no twin of itself.
func (t *twins) add(i tally.Interval) {
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

func (t *twins) nested() bool { return t.Next.From != 0 && t.Next.To <= t.First.To }

func (s *twinSample) observe(e *audit.Event) {
	id := tally.HashBytes(e.AuditID)
	if n := len(s.Kept); n == maxTwins && id > s.Kept[n-1].ID {
		s.Spilt = true
		return
	}
	if t := s.at(id, tally.HashBytes(e.URI)); t != nil {
		t.add(tally.Interval{From: e.Received, To: e.At})
	}
}

func (s *twinSample) at(id, uri uint64) *twins {
	i, found := slices.BinarySearchFunc(s.Kept, id, func(t twins, id uint64) int { return t.compare(id, uri) })
	if !found {
		if len(s.Kept) == maxTwins {
			s.Spilt = true
			if i == maxTwins {
				return nil
			}
			s.Kept = s.Kept[:maxTwins-1]
		}
		s.Kept = slices.Insert(s.Kept, i, twins{ID: id, URI: uri})
	}
	return &s.Kept[i]
}

func (s *twinSample) merge(o *twinSample) {
	s.Spilt = s.Spilt || o.Spilt
	for _, theirs := range o.Kept {
		if mine := s.at(theirs.ID, theirs.URI); mine != nil {
			mine.add(theirs.First)
			mine.add(theirs.Next)
		}
	}
}

// twinNotes tell of requests that are logged twice.
func (f *Facts) twinNotes() []Note {
	kept, nested := f.Quirks.Twins.Kept, 0
	for i := range kept {
		if kept[i].nested() {
			nested++
		}
	}
	if nested < minTwins {
		return nil
	}
	return []Note{f.note("aggregated-twice", fmt.Sprintf(
		"%d of %d requests looked at are logged twice under one audit ID, once within the time of the other: an aggregated API server logs what is handed on to it. They count as two requests.",
		nested, len(kept)))}
}
