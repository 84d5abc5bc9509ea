package tally

import (
	"bytes"
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// LateRefs keeps references to the K latest of the events added. In a log that
// is read in order of time every event is the latest so far, so what is kept
// of one is only what a reference is made of, in room that is used again:
// adding costs a copy of some 100 bytes and no allocation. The references are
// made when they are asked for.
type LateRefs struct {
	K    int    `json:"k,omitempty"` // how many to keep; 0 is 8
	N    int64  `json:"n"`           // how many were added
	Kept []Late `json:"kept,omitempty"`
}

// Late is what a reference is made of. Only its own package makes sense of it.
type Late struct {
	Time        audit.Time  `json:"time"`
	Received    audit.Time  `json:"received"`
	Coarse      bool        `json:"coarse,omitempty"`
	Source      string      `json:"source"`
	Offset      int64       `json:"offset"`
	Chunk       int64       `json:"chunk"`
	Line        int         `json:"line"`
	Stage       audit.Stage `json:"stage"`
	Code        int         `json:"code,omitempty"`
	Verb        string      `json:"verb"`
	Actor       string      `json:"actor"`
	Group       string      `json:"group,omitempty"`
	Resource    string      `json:"resource,omitempty"`
	Subresource string      `json:"subresource,omitempty"`
	Namespace   string      `json:"namespace,omitempty"`
	AuditID     []byte      `json:"auditID"`
	Name        []byte      `json:"name,omitempty"`
	RV          []byte      `json:"rv,omitempty"`   // the resourceVersion parameter, decoded
	Path        []byte      `json:"path,omitempty"` // where there is no resource
}

// Add takes in e.
func (r *LateRefs) Add(e *audit.Event) {
	r.N++
	n := len(r.Kept)
	full := n >= r.size()
	if full && r.Kept[0].CompareEvent(e) >= 0 {
		return
	}
	var l Late
	if full { // the earliest one goes, and its room is used again
		l = r.Kept[0]
		copy(r.Kept, r.Kept[1:])
		r.Kept = r.Kept[:n-1]
	}
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

// Compare orders as audit.Ref.Compare does.
func (l *Late) Compare(o *Late) int {
	if c := cmp.Compare(l.Time, o.Time); c != 0 {
		return c
	}
	return cmp.Or(
		strings.Compare(l.Source, o.Source),
		cmp.Compare(l.Offset, o.Offset),
		bytes.Compare(l.AuditID, o.AuditID),
	)
}

// CompareEvent orders l and e as audit.Ref.Compare would order their references.
func (l *Late) CompareEvent(e *audit.Event) int {
	if c := cmp.Compare(l.Time, e.At); c != 0 {
		return c // nearly always
	}
	return cmp.Or(
		strings.Compare(l.Source, e.Source),
		cmp.Compare(l.Offset, e.Offset),
		bytes.Compare(l.AuditID, e.AuditID),
	)
}

// Set takes from e what a reference is made of, in room that l has.
func (l *Late) Set(e *audit.Event) {
	*l = Late{
		Time: e.At, Received: e.Received, Coarse: e.Coarse, Stage: e.Stage, Code: e.Code,
		Source: e.Source, Offset: e.Offset, Chunk: e.Chunk, Line: e.Line,
		Verb: e.Verb.String(), Actor: e.Actor().String(),
		Group: e.Group.String(), Resource: e.Resource.String(),
		Subresource: e.Subresource.String(), Namespace: e.Namespace.String(),
		AuditID: append(l.AuditID[:0], e.AuditID...),
		Name:    append(l.Name[:0], e.Name...),
		RV:      append(l.RV[:0], e.Param("resourceVersion")...),
		Path:    l.Path[:0],
	}
	if e.Resource == (audit.Sym{}) {
		path, _, _ := bytes.Cut(e.URI, []byte("?"))
		l.Path = append(l.Path, path...)
	}
}

// Ref makes the reference that the event would have made.
func (l *Late) Ref() audit.Ref {
	e := audit.Event{
		At: l.Time, Received: l.Received, Coarse: l.Coarse, Stage: l.Stage, Code: l.Code,
		Source: l.Source, Offset: l.Offset, Chunk: l.Chunk, Line: l.Line,
		Verb: audit.Intern(l.Verb), User: audit.Intern(l.Actor),
		Group: audit.Intern(l.Group), Resource: audit.Intern(l.Resource),
		Subresource: audit.Intern(l.Subresource), Namespace: audit.Intern(l.Namespace),
		AuditID: l.AuditID, Name: l.Name, URI: slices.Clone(l.Path),
	}
	if len(l.RV) > 0 {
		e.URI = append(e.URI, "?resourceVersion="+url.QueryEscape(string(l.RV))...)
	}
	return e.Ref()
}
