package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Anchors are a sample of a log's audit events, those whose offsets have the
// smallest hashes: they tell when what stands between two of them was written,
// such as a line of klog without a zone.
type anchors struct {
	Kept []anchor `json:"kept,omitempty"` // by hash
}

type anchor struct {
	Hash   uint64     `json:"hash"`
	Source string     `json:"source"`
	Offset int64      `json:"offset"`
	At     audit.Time `json:"at"`
}

// maxAnchors cut a log of a day into stretches of six minutes, which is less than
// zones differ by.
const maxAnchors = 256

const anchorSeed = 0x61_6e_63_68_6f_72

func (a *anchors) observe(e *audit.Event) {
	hash := tally.Mix(uint64(e.Offset), anchorSeed)
	if len(a.Kept) == maxAnchors && hash > a.Kept[maxAnchors-1].Hash {
		return
	}
	a.add(anchor{hash, e.Source, e.Offset, e.At})
}

// add keeps an event. Of two parts with one at the same place it is that of the
// first part, and of two events that of the earlier one.
func (a *anchors) add(one anchor) {
	kept, at, _ := tally.Least(a.Kept, maxAnchors, one.Hash, func(k *anchor) uint64 { return k.Hash }, one)
	if a.Kept = kept; at != nil && cmp.Or(strings.Compare(one.Source, at.Source), cmp.Compare(one.At, at.At)) < 0 {
		*at = one
	}
}

func (a *anchors) merge(o *anchors) {
	for _, one := range o.Kept {
		a.add(one)
	}
}

// around returns when what stands at a place was written, by the events before
// and behind it. It is empty where there is none on either side.
func (a *anchors) around(source string, offset int64) (when tally.Span) {
	var before, behind *anchor
	for i := range a.Kept {
		switch one := &a.Kept[i]; {
		case one.Source != source:
		case one.Offset < offset && (before == nil || one.Offset > before.Offset):
			before = one
		case one.Offset > offset && (behind == nil || one.Offset < behind.Offset):
			behind = one
		}
	}
	if before == nil || behind == nil {
		return when
	}
	when.Add(before.At)
	when.Add(behind.At)
	return when
}

// zoneOf returns what brings the lines of a log, whose years are right, among
// the audit events between which they stand: the only shift that does so for
// nearly all of them. ok is false if there are several, or none.
func (a *anchors) zoneOf(lines []audit.Ref) (zone time.Duration, ok bool) {
	fits := map[time.Duration]int{}
	n := 0
	for _, line := range lines {
		when := a.around(line.Source, line.Offset)
		if when.Empty() {
			continue
		}
		n++
		for shift := -maxZone; shift <= maxZone; shift += zoneStep {
			if away(line.Time.Add(shift), when) <= near {
				fits[shift]++
			}
		}
	}
	var found []time.Duration
	for shift, count := range fits {
		if 10*count >= 9*n {
			found = append(found, shift)
		}
	}
	if len(found) != 1 {
		return 0, false
	}
	return slices.Min(found), true
}
