package requesttimeout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"math/bits"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxRegister is how many requests are paired: those of a log of a gigabyte. One
// that has ended takes 6 bytes and must be remembered, since its beginning may be
// read later; an open one some 400.
const maxRegister = 1 << 19

// A Register pairs the beginnings and ends of the requests of all logs: of all
// of them up to maxRegister, else of a half, a quarter and so on by hash. How
// many have no end it counts for all of them. It differs from [tally.Pairs] in
// what a busy log costs, where nearly every event is of a new request.
type Register struct {
	open  rows   // began, and did not end yet; some have ended, until settle
	ended hashes // some are there twice, until settle
	halve int    // hashes with so many leading zeros are kept
	cap   int    // maxRegister, if 0
	many  int    // open ones, after which to settle

	balances map[string]*tally.Balance // by log
	balance  *tally.Balance            // of the event before, since events of one log come together
	log      string
	logHash  uint64

	spare []*begun // of requests that have ended
}

// A begun is what is kept of a request that began. Its texts are bytes, so that
// their room can be used again.
type begun struct {
	Hash      uint64     `json:"hash"`
	Received  audit.Time `json:"received,omitzero"`
	At        audit.Time `json:"at,omitzero"`
	Log       string     `json:"log,omitempty"`
	Source    string     `json:"source,omitempty"`
	Offset    int64      `json:"offset,omitempty"`
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
	r.balanceOf(e).Observe(e)
	r.pair(e)
}

// end takes in an event that may end a request, and must not begin one.
func (r *Register) end(e *audit.Event) {
	if e.Stage != audit.StageRequestReceived {
		r.balanceOf(e).Close(e)
		r.pair(e)
	}
}

func (r *Register) balanceOf(e *audit.Event) *tally.Balance {
	if r.balance == nil || r.log != e.Log {
		if r.balances == nil {
			r.balances = map[string]*tally.Balance{}
		}
		if r.balances[e.Log] == nil {
			r.balances[e.Log] = new(tally.Balance)
		}
		r.balance, r.log, r.logHash = r.balances[e.Log], e.Log, tally.Hash(e.Log)
	}
	return r.balance
}

func (r *Register) pair(e *audit.Event) {
	chosen := tally.Mix(uint64(e.Received), hashSeed)
	if bits.LeadingZeros64(chosen) < r.halve {
		return // as nearly all of a long log
	}
	hash := max(1<<16, hashOf(e, chosen, r.logHash)) // rows have no 0
	if e.Stage != audit.StageRequestReceived {
		r.reuse(r.open.take(hash))
		r.ended.add(hash)
		r.fit()
		return
	}
	row, seen := r.open.at(hash)
	if !seen {
		row.b = r.begin(e, hash)
		r.fit()
	} else if ref := row.b.ref(); e.CompareRef(&ref) < 0 { // a line that stands twice
		row.b.set(e, hash)
	}
}

// hashSeed keeps the choice of requests apart from other hashes.
const hashSeed = 0x72_65_71_75_65_73_74

// hashOf names a request by what all of its stages share. Requests are chosen
// by its upper half, which comes from the microsecond of the receipt and costs
// next to nothing. The URI's length stands for the URI: with the receipt it
// tells apart what a client gave one auditID. log is the hash of the log's name.
func hashOf(e *audit.Event, chosen, log uint64) uint64 {
	const half = 32
	request := tally.Mix(tally.HashBytes(e.AuditID), uint64(len(e.URI)))
	return (chosen>>half<<half | tally.Mix(request, log)>>half) & hashBits
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
		Source: e.Source, Offset: e.Offset, Line: e.Line,
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
		Source: b.Source, Offset: b.Offset, Line: b.Line, AuditID: b.AuditID,
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

// fewOpen is how many requests may be open before it is asked which of them have
// ended: in a log read forward, few are open at a time.
const fewOpen = 1 << 12

// fit settles where there are too many open requests, or a quarter too many in
// all: that is rare then, though lines stand twice.
func (r *Register) fit() {
	if r.open.n > max(fewOpen, r.many) || r.open.n+r.ended.n > r.room()+r.room()/4 {
		r.settle()
		r.many = 2 * r.open.n
	}
}

func (r *Register) room() int { return cmp.Or(r.cap, maxRegister) }

// settle finds out which requests are open, and halves the share of requests
// until they are few enough: where there are too many below the threshold,
// however they came, it falls. So both halves of a request are kept or neither.
func (r *Register) settle() {
	for hash := range r.ended.all() {
		r.reuse(r.open.take(hash))
	}
	if r.open.n+r.ended.n <= r.room() {
		return
	}
	r.ended.unite()
	for r.open.n+r.ended.n > r.room() {
		r.lower(r.halve + 1)
	}
}

func (r *Register) lower(halve int) {
	if halve > r.halve {
		r.halve = halve
		r.open.lower(halve)
		r.ended.drop(func(hash uint64) bool { return bits.LeadingZeros64(hash) < halve })
	}
}

func (r *Register) merge(o *Register) {
	r.lower(o.halve)
	o.lower(r.halve)
	r.ended.merge(&o.ended)
	for theirs := range o.open.all() {
		if mine, seen := r.open.at(theirs.hash); seen {
			mine.b.earlier(theirs.b)
		} else {
			mine.b = theirs.b
		}
	}
	r.fit()
	for log, theirs := range o.balances {
		if mine := r.balances[log]; mine != nil {
			mine.Merge(theirs)
			continue
		}
		if r.balances == nil {
			r.balances = map[string]*tally.Balance{}
		}
		r.balances[log] = theirs
	}
}

// share returns the share of all requests that are paired.
func (r *Register) share() float64 { return math.Ldexp(1, -r.halve) }

// unended returns the requests that are paired and never ended, in order of
// receipt.
func (r *Register) unended() (open []*begun) {
	r.settle()
	for row := range r.open.all() {
		open = append(open, row.b)
	}
	slices.SortFunc(open, (*begun).compare)
	return open
}

// compare orders requests by receipt.
func (b *begun) compare(o *begun) int {
	return cmp.Or(cmp.Compare(b.Received, o.Received), cmp.Compare(b.Hash, o.Hash))
}

// savedRegister is a register's serial form, which does not depend on how the
// log was cut.
type savedRegister struct {
	Halve    int                       `json:"halve,omitempty"`
	Open     []begun                   `json:"open"`
	Ended    []uint64                  `json:"ended"`
	Balances map[string]*tally.Balance `json:"balances,omitempty"`
}

// MarshalJSON writes the register in order of receipt and of the hashes.
func (r *Register) MarshalJSON() ([]byte, error) {
	saved := savedRegister{Open: []begun{}, Balances: r.balances}
	for _, b := range r.unended() {
		saved.Open = append(saved.Open, *b)
	}
	saved.Halve, saved.Ended = r.halve, r.ended.sorted()
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Register) UnmarshalJSON(raw []byte) error {
	var saved savedRegister
	if err := json.Unmarshal(raw, &saved); err != nil {
		return err
	}
	*r = Register{halve: saved.Halve, ended: listOf(saved.Ended), balances: saved.Balances}
	for i := range saved.Open {
		row, _ := r.open.at(saved.Open[i].Hash)
		row.b = &saved.Open[i]
	}
	return nil
}
