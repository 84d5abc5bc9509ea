package tally

import (
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// LateRefs keeps references to the K latest of the events added. In a log that is read in
// order of time every event is the latest so far, so it keeps only what a reference is made
// of (see [Late]), and makes the references when they are asked for.
type LateRefs struct {
	K    int    `json:"k,omitempty"` // how many to keep; 0 is 8
	N    int64  `json:"n"`           // how many were added
	Kept []Late `json:"kept,omitempty"`
}

// Add takes in e.
func (r *LateRefs) Add(e *audit.Event) {
	r.N++
	n := len(r.Kept)
	full := n >= r.size()
	if full && r.Kept[0].CompareEvent(e) >= 0 {
		return
	}
	if full { // the earliest one goes
		copy(r.Kept, r.Kept[1:])
		r.Kept = r.Kept[:n-1]
	}
	var l Late
	l.Set(e)
	r.insert(l)
}

// Merge takes in what was added to o.
func (r *LateRefs) Merge(o *LateRefs) {
	r.N += o.N
	r.K = max(r.K, o.K)
	for _, l := range o.Kept {
		r.insert(l)
	}
	if over := len(r.Kept) - r.size(); over > 0 {
		r.Kept = slices.Delete(r.Kept, 0, over)
	}
}

// Refs returns the references, in order of time.
func (r *LateRefs) Refs() []audit.Ref {
	refs := make([]audit.Ref, len(r.Kept))
	for i := range r.Kept {
		refs[i] = r.Kept[i].Ref()
	}
	return refs
}

func (r *LateRefs) size() int {
	if r.K > 0 {
		return r.K
	}
	return defaultSample
}

// insert keeps Kept in ascending order. The place is sought from the end.
func (r *LateRefs) insert(l Late) {
	i := len(r.Kept)
	for i > 0 && r.Kept[i-1].Compare(&l) > 0 {
		i--
	}
	r.Kept = slices.Insert(r.Kept, i, l)
}
