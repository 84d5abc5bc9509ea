package analysis

import (
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Write is a write that took effect, and the client that made it.
type Write struct {
	Received audit.Time
	At       audit.Time // when it was answered
	Verb     string
	Name     string // of the object; empty for a deletecollection
	Client   Client
	Ref      audit.Ref
}

// LastDelete returns the last delete in the scope that was answered at or before t. If there
// are many deletes, it may be one of those shortly before.
func (f *Facts) LastDelete(s Scope, t audit.Time) (Write, bool) {
	var last *lateWrite
	take := func(d *deletes) {
		for _, l := range []*lateWrite{&d.First, &d.Last} {
			if l.in(s.Namespace) && l.Late.Time <= t && (last == nil || l.Late.Compare(&last.Late) > 0) {
				last = l
			}
		}
	}
	if r := f.Writes.Resources.get(Scope{Group: s.Group, Resource: s.Resource}); r != nil {
		for _, d := range r.Deletes.All() {
			take(d)
		}
	}
	if n := f.Writes.Scopes.get(s); n != nil && n.Deletes != nil {
		take(n.Deletes)
	}
	if last == nil {
		return Write{}, false
	}
	return last.write(), true
}

// deletes are the first and the last delete within some stretch of time.
type deletes struct {
	First lateWrite `json:"first"`
	Last  lateWrite `json:"last"`
}

// A lateWrite holds what a Write is made of; the zero value is none.
type lateWrite struct {
	Late   tally.Late `json:"late"`
	Client Client     `json:"client"`
}

// in reports whether there is a write, in the namespace, or in any if that is empty.
func (l *lateWrite) in(namespace audit.Sym) bool {
	return !l.empty() && (namespace == (audit.Sym{}) || l.Late.Namespace() == namespace)
}

func (l *lateWrite) empty() bool { return l.Late.Time == 0 }

func (l *lateWrite) set(e *audit.Event, c Client) {
	l.Late.Set(e)
	l.Client = c
}

func (l *lateWrite) write() Write {
	ref := l.Late.Ref()
	return Write{
		Received: l.Late.Received, At: l.Late.Time, Verb: l.Late.Verb(),
		Name: l.Late.Name(), Client: l.Client, Ref: ref,
	}
}

func (d *deletes) observe(e *audit.Event, c Client) {
	if d.First.empty() || d.First.Late.CompareEvent(e) > 0 {
		d.First.set(e, c)
	}
	if d.Last.empty() || d.Last.Late.CompareEvent(e) < 0 {
		d.Last.set(e, c)
	}
}

// Plus returns the first and the last of both.
func (d deletes) Plus(o deletes) deletes {
	switch {
	case d.First.empty():
		return o
	case o.First.empty():
		return d
	}
	if o.First.Late.Compare(&d.First.Late) < 0 {
		d.First = o.First
	}
	if o.Last.Late.Compare(&d.Last.Late) > 0 {
		d.Last = o.Last
	}
	return d
}
