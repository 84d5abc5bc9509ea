package analysis

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// anchors are a sample of a log's audit events, those whose offsets have the lowest
// hashes. They tell when a line that stands between two of them was written, such as one
// of klog, which has no zone.
type anchors struct {
	Kept []anchor `json:"kept,omitempty"` // by hash
}

type anchor struct {
	Hash   uint64     `json:"hash"`
	Source string     `json:"source"`
	Offset int64      `json:"offset"`
	At     audit.Time `json:"at"`
}

// maxAnchors events cut a day's log into stretches of six minutes, which is less than two
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

// add keeps an event. Of two at the same offset it is that of the first source, or of one
// source the earlier one.
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

// around returns the times of the nearest events before and behind an offset, between
// which a line there was written. It is empty if there is none on either side.
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

// zoneOf returns the shift that brings the times of lines, whose years are right, between
// those of the audit events around them, for nine in ten of the lines at least. ok is
// false if there is no such shift, or more than one.
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
