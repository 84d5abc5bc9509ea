package requesttimeout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxRegister is how many requests are paired. One that has ended takes some 20
// bytes and must be remembered, since its beginning may be read later; an open
// one some 400.
const maxRegister = 1 << 13

// A Register pairs the beginnings and ends of the requests of all logs: of all
// of them up to maxRegister, else of those with the smallest hashes. It differs
// from [tally.Pairs] in what a busy log costs, where nearly every event is of
// a new request.
type Register struct {
	rows  map[uint64]*begun // nil has ended
	below uint64            // hashes from here on are dropped, if full
	full  bool

	spare []*begun // of requests that have ended
}

// A begun is what is kept of a request that began. Its texts are bytes, so that
// their room can be used again.
type begun struct {
	Hash      uint64     `json:"hash"`
	Ended     bool       `json:"ended,omitempty"`
	Received  audit.Time `json:"received,omitzero"`
	At        audit.Time `json:"at,omitzero"`
	Log       string     `json:"log,omitempty"`
	Source    string     `json:"source,omitempty"`
	Offset    int64      `json:"offset,omitempty"`
	Chunk     int64      `json:"chunk,omitempty"`
	Line      int        `json:"line,omitempty"`
	AuditID   []byte     `json:"auditID,omitempty"`
	Verb      audit.Sym  `json:"verb,omitzero"`
	User      audit.Sym  `json:"user,omitzero"`
	UserAgent audit.Sym  `json:"userAgent,omitzero"`
	SourceIP  audit.Sym  `json:"sourceIP,omitzero"`
	Group     audit.Sym  `json:"group,omitzero"`
	Resource  audit.Sym  `json:"resource,omitzero"`
	Sub       audit.Sym  `json:"subresource,omitzero"`
	Namespace audit.Sym  `json:"namespace,omitzero"`
	Name      []byte     `json:"name,omitempty"`
	URI       []byte     `json:"uri,omitempty"` // without a resource
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
			r.reuse(have)
		}
	case !seen:
		r.set(hash, r.begin(e, hash))
	case have != nil: // a line that stands twice
		if ref := have.ref(); e.CompareRef(&ref) < 0 {
			have.set(e, hash)
		}
	}
}

// hashOf names a request by what all of its stages share. The URI's length
// stands for the URI, since this runs for nearly every event: with the
// microsecond of the receipt it tells apart what a client gave one auditID.
func hashOf(e *audit.Event) uint64 {
	request := tally.Mix(tally.HashBytes(e.AuditID), uint64(e.Received))
	return tally.Mix(tally.Mix(request, uint64(len(e.URI))), tally.Hash(e.Log))
}

// maxSpare is how many requests are in work at once, as a rule.
const maxSpare = 256

func (r *Register) reuse(b *begun) {
	if b != nil && len(r.spare) < maxSpare {
		r.spare = append(r.spare, b)
	}
}

func (r *Register) begin(e *audit.Event, hash uint64) *begun {
	var b *begun
	if n := len(r.spare); n > 0 {
		b, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		b = new(begun)
	}
	b.set(e, hash)
	return b
}

func (b *begun) set(e *audit.Event, hash uint64) {
	*b = begun{
		Hash: hash, Received: e.Received, At: e.At, Log: e.Log,
		Source: e.Source, Offset: e.Offset, Chunk: e.Chunk, Line: e.Line,
		Verb: e.Verb, User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(),
		Group: e.Group, Resource: e.Resource, Sub: e.Subresource, Namespace: e.Namespace,
		AuditID: append(b.AuditID[:0], e.AuditID...), Name: append(b.Name[:0], e.Name...), URI: b.URI[:0],
	}
	if e.Resource == (audit.Sym{}) {
		path, _, _ := bytes.Cut(e.URI, []byte("?"))
		b.URI = append(b.URI, path...)
	}
}

// earlier keeps the earlier of two lines of one request.
func (b *begun) earlier(o *begun) {
	if o.ref().Compare(b.ref()) < 0 {
		*b = *o
	}
}

// ref makes the reference to the request's beginning.
func (b *begun) ref() audit.Ref {
	e := audit.Event{
		Stage: audit.StageRequestReceived, Received: b.Received, At: b.At,
		Source: b.Source, Offset: b.Offset, Chunk: b.Chunk, Line: b.Line, AuditID: b.AuditID,
		Verb: b.Verb, User: b.User, Group: b.Group, Resource: b.Resource, Subresource: b.Sub,
		Namespace: b.Namespace, Name: b.Name, URI: b.URI,
	}
	return e.Ref()
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
