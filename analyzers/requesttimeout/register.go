package requesttimeout

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxRegister is how many requests are paired. One that has ended
// takes some 20 bytes and must be remembered, since its beginning may be read
// later; an open one some 300.
const maxRegister = 1 << 15

// A Register pairs the beginnings and ends of the requests of all
// logs: of all of them up to maxRegister, else of those with the smallest hashes. It differs
// from [tally.Pairs] in what a busy log costs, where nearly every event is of
// a new request.
type Register struct {
	rows  map[uint64]*begun // nil has ended
	below uint64            // hashes from here on are dropped, if full
	full  bool
}

// A begun is what is kept of a request that began.
type begun struct {
	Hash      uint64     `json:"hash"`
	Ended     bool       `json:"ended,omitempty"`
	Log       string     `json:"log,omitempty"`
	Received  audit.Time `json:"received,omitzero"`
	Line      tally.Line `json:"line,omitzero"`
	Verb      audit.Sym  `json:"verb,omitzero"`
	User      audit.Sym  `json:"user,omitzero"`
	UserAgent audit.Sym  `json:"userAgent,omitzero"`
	SourceIP  audit.Sym  `json:"sourceIP,omitzero"`
	Group     audit.Sym  `json:"group,omitzero"`
	Resource  audit.Sym  `json:"resource,omitzero"`
	Namespace audit.Sym  `json:"namespace,omitzero"`
	Name      string     `json:"name,omitempty"`
	Path      string     `json:"path,omitempty"` // without a resource
}

func (r *Register) observe(e *audit.Event) {
	hash := hashOf(e)
	if r.full && hash >= r.below {
		return
	}
	have, seen := r.rows[hash]
	switch {
	case e.Stage != audit.StageRequestReceived:
		if !seen || have != nil {
			r.set(hash, nil)
		}
	case !seen:
		r.set(hash, begin(e, hash))
	case have != nil:
		have.earlier(begin(e, hash)) // a line that stands twice
	}
}

// hashOf names a request by what all of its stages share. The URI's length
// stands for the URI, since this runs for nearly every event: with the
// microsecond of the receipt it tells apart what a client gave one auditID.
func hashOf(e *audit.Event) uint64 {
	request := tally.Mix(tally.HashBytes(e.AuditID), uint64(e.Received))
	return tally.Mix(tally.Mix(request, uint64(len(e.URI))), tally.Hash(e.Log))
}

func begin(e *audit.Event, hash uint64) *begun {
	b := &begun{
		Hash: hash, Log: e.Log, Received: e.Received, Verb: e.Verb, User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(),
		Group: e.Group, Resource: e.Resource, Namespace: e.Namespace, Name: e.Name.String(),
	}
	if e.Resource == (audit.Sym{}) {
		b.Path = e.Target()
	}
	b.Line.Set(e)
	return b
}

// earlier keeps the earlier of two lines of one request.
func (b *begun) earlier(o *begun) {
	if x, y := b.ref(), o.ref(); y.Compare(x) < 0 {
		*b = *o
	}
}

// ref makes the reference to the request's beginning.
func (b *begun) ref() audit.Ref {
	return b.Line.Ref(audit.Event{
		Verb: b.Verb, User: b.User, Group: b.Group, Resource: b.Resource,
		Namespace: b.Namespace, Name: audit.View(b.Name), URI: audit.View(b.Path), Received: b.Received,
	})
}

func (b *begun) subject() analysis.Subject {
	return analysis.Subject{
		User: b.User.String(), UserAgent: b.UserAgent.String(), SourceIP: b.SourceIP.String(),
		APIGroup: b.Group.String(), Resource: b.Resource.String(),
	}
}

func (r *Register) set(hash uint64, b *begun) {
	if r.rows == nil {
		r.rows = map[uint64]*begun{}
	}
	r.rows[hash] = b
	if len(r.rows) >= 2*maxRegister {
		r.shrink()
	}
}

// shrink drops all but the maxRegister requests with the smallest hashes. The
// threshold only falls, so that both halves of a request are kept or neither.
func (r *Register) shrink() {
	if len(r.rows) <= maxRegister {
		return
	}
	hashes := slices.Sorted(maps.Keys(r.rows))
	r.below, r.full = hashes[maxRegister], true
	r.drop()
}

func (r *Register) drop() {
	maps.DeleteFunc(r.rows, func(hash uint64, _ *begun) bool { return r.full && hash >= r.below })
}

func (r *Register) merge(o *Register) {
	if o.full && (!r.full || o.below < r.below) {
		r.below, r.full = o.below, true
		r.drop()
	}
	for hash, theirs := range o.rows {
		mine, seen := r.rows[hash]
		switch {
		case r.full && hash >= r.below:
		case !seen || theirs == nil:
			r.set(hash, theirs)
		case mine != nil:
			mine.earlier(theirs)
		}
	}
	r.shrink()
}

// open returns the requests that never ended, in order of receipt, and the
// share of all requests that they are chosen from. It does not change r.
func (r *Register) open() (open []*begun, share float64) {
	share, below := 1.0, ^uint64(0)
	if r.full {
		below = r.below
	}
	if len(r.rows) > maxRegister {
		below = slices.Sorted(maps.Keys(r.rows))[maxRegister]
	}
	if below != ^uint64(0) {
		share = float64(below) / (1 << 64)
	}
	for hash, b := range r.rows {
		if b != nil && hash < below {
			open = append(open, b)
		}
	}
	slices.SortFunc(open, func(a, b *begun) int {
		return cmp.Or(cmp.Compare(a.Received, b.Received), cmp.Compare(a.Hash, b.Hash))
	})
	return open, share
}

// savedRegister is a register's serial form, which does not depend on how the
// log was cut.
type savedRegister struct {
	Below uint64  `json:"below,omitempty"`
	Rows  []begun `json:"rows"`
}

// MarshalJSON writes the register in order of the hashes.
func (r *Register) MarshalJSON() ([]byte, error) {
	r.shrink()
	saved := savedRegister{Below: r.below, Rows: []begun{}}
	for _, hash := range slices.Sorted(maps.Keys(r.rows)) {
		if b := r.rows[hash]; b != nil {
			saved.Rows = append(saved.Rows, *b)
		} else {
			saved.Rows = append(saved.Rows, begun{Hash: hash, Ended: true})
		}
	}
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Register) UnmarshalJSON(raw []byte) error {
	var saved savedRegister
	if err := json.Unmarshal(raw, &saved); err != nil {
		return err
	}
	*r = Register{rows: map[uint64]*begun{}, below: saved.Below, full: saved.Below != 0}
	for i := range saved.Rows {
		b := &saved.Rows[i]
		if b.Ended {
			r.rows[b.Hash] = nil
		} else {
			r.rows[b.Hash] = b
		}
	}
	return nil
}
