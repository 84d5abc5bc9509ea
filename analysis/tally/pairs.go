package tally

import "github.com/kaudit/kaudit/audit"

const defaultPairs = 512

// Pairs finds requests that began and never ended. It keeps the requests with the smallest
// hashes of auditID, requestReceivedTimestamp and URI, which all stages of a request share,
// so that it keeps either both halves of a request or neither. It must also remember a
// request that has ended, in 32 bytes, since the beginning may be read after the end. An
// open request takes some 300.
//
// A request begins with RequestReceived or, if it is long-running, with
// ResponseStarted; it ends with ResponseComplete or Panic, or, if it is not
// long-running, with ResponseStarted, which the API server writes alone when
// it refuses a request early. One that fails authentication (401) counts for
// nothing. An event that is read twice counts once.
type Pairs struct {
	Cap   int    `json:"cap,omitempty"` // how many requests to keep; 0 is 512
	Kept  []Pair `json:"kept,omitempty"`
	Spilt bool   `json:"spilt,omitempty"` // there were more requests than Cap
}

// A Pair is one request, open or closed. Pairs are in order of Hash.
type Pair struct {
	Hash   uint64 `json:"hash"`
	Closed bool   `json:"closed,omitempty"`
	Half   *Half  `json:"half,omitempty"` // nil when closed
}

// A Half is a request that began, and whose end is not known.
type Half struct {
	Received audit.Time `json:"received"`
	Started  audit.Time `json:"started,omitempty"` // of ResponseStarted; 0 if there is none
	Code     int        `json:"code,omitempty"`    // of ResponseStarted
	Ref      audit.Ref  `json:"ref"`               // the earliest event
}

// Observe takes in an event of a request.
func (p *Pairs) Observe(e *audit.Event) {
	switch {
	case e.Code == 401:
	case closes(e):
		p.observe(e, true)
	case e.Stage == audit.StageRequestReceived || e.Stage == audit.StageResponseStarted:
		p.observe(e, false)
	}
}

// Close takes in an event that may end a request and must not begin one.
func (p *Pairs) Close(e *audit.Event) {
	if e.Code != 401 && closes(e) {
		p.observe(e, true)
	}
}

func closes(e *audit.Event) bool {
	return e.Final() || e.Stage == audit.StageResponseStarted && !e.LongRunning()
}

// RequestHash returns a hash of what all stages of a request share. The auditID alone would
// not do, since a client may choose it.
func RequestHash(e *audit.Event) uint64 {
	return Mix(Mix(HashBytes(e.AuditID), uint64(e.Received)), HashBytes(e.URI))
}

func (p *Pairs) observe(e *audit.Event, closed bool) {
	pair := p.at(RequestHash(e))
	if pair == nil || pair.Closed {
		return
	}
	if closed {
		*pair = Pair{Hash: pair.Hash, Closed: true}
		return
	}
	if pair.Half == nil {
		pair.Half = &Half{Received: e.Received, Ref: e.Ref()}
	} else if e.CompareRef(&pair.Half.Ref) < 0 {
		pair.Half.Ref = e.Ref()
	}
	if e.Stage == audit.StageResponseStarted {
		pair.Half.start(e.At, e.Code)
	}
}

// start notes a ResponseStarted: the earliest, should there be several.
func (h *Half) start(at audit.Time, code int) {
	if h.Started == 0 || at < h.Started || at == h.Started && code < h.Code {
		h.Started, h.Code = at, code
	}
}

// at returns the pair with this hash, to be filled in, or nil if it is not
// kept.
func (p *Pairs) at(hash uint64) *Pair {
	kept, at, spilt := Least(p.Kept, p.size(), hash, func(pair *Pair) uint64 { return pair.Hash }, Pair{Hash: hash})
	p.Kept, p.Spilt = kept, p.Spilt || spilt
	return at
}

// Merge takes in what o has seen.
func (p *Pairs) Merge(o *Pairs) {
	p.Cap = max(p.Cap, o.Cap)
	p.Spilt = p.Spilt || o.Spilt
	for _, theirs := range o.Kept {
		mine := p.at(theirs.Hash)
		switch {
		case mine == nil || mine.Closed:
		case theirs.Closed:
			*mine = theirs
		case mine.Half == nil:
			mine.Half = theirs.Half
		default:
			mine.Half.merge(theirs.Half)
		}
	}
}

func (h *Half) merge(o *Half) {
	if o.Ref.Compare(h.Ref) < 0 {
		h.Ref = o.Ref
	}
	if o.Started != 0 {
		h.start(o.Started, o.Code)
	}
}

func (p *Pairs) size() int {
	if p.Cap > 0 {
		return p.Cap
	}
	return defaultPairs
}
