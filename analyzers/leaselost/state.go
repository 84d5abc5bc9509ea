package leaselost

import (
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of one lease: some 16 KiB about when it was renewed (in steps of 1 s
// for 18 hours, or of 4 s for three days), and 32 KiB a holder.
const (
	coverWords  = 1024
	beatCells   = 64
	failedCells = 16
	goneCells   = 16
	maxHolders  = 8
	maxMessages = 4
	maxMessage  = 200 // bytes
)

// A State is what is known of one lease.
type State struct {
	Renewed tally.Cover         `json:"renewed"` // by receipt
	N       int64               `json:"n"`       // renewals
	Holders tally.Table[Holder] `json:"holders"` // by user, address and name
	Gone    tally.Cells[Beat]   `json:"gone"`    // deletions of the lease, and releases by its holder
	Seconds int64               `json:"seconds"` // how long the lease lasts; 0 if no body tells

	Selected tally.Span `json:"selected"` // what --since, --until and --where left in
}

// A Holder is what one client did with the lease.
type Holder struct {
	User      string            `json:"user"`
	SourceIP  string            `json:"sourceIP"`
	Name      string            `json:"name,omitempty"` // the holder's name in bodies; "" if there are no bodies
	UserAgent string            `json:"userAgent"`      // the last in alphabetical order, if there are several
	N         int64             `json:"n"`
	Renewals  tally.Cells[Beat] `json:"renewals"` // by receipt
	Failures  tally.Cells[Beat] `json:"failures"` // by receipt
	Messages  tally.Set         `json:"messages"` // of failures
}

// A Beat is the requests within one step of time: how many, the first and the last one.
type Beat struct {
	N     int64       `json:"n"`
	First *tally.Late `json:"first"`
	Last  *tally.Late `json:"last"`

	RV uint64 `json:"rv,omitempty"` // the version that First is based on; 0 if it does not say
}

func newState() *State {
	return &State{
		Renewed: tally.Cover{StepMicros: time.Second.Microseconds(), Cap: coverWords},
		Holders: tally.Table[Holder]{Cap: maxHolders},
		Gone:    tally.Cells[Beat]{Cap: goneCells},
	}
}

// Observe takes in the end of a request for the lease.
func (s *State) Observe(e *audit.Event) {
	s.Selected.Add(e.Began())
	s.observe(e)
}

// Close takes in an event that was not selected: a renewal ends a silence all the same.
func (s *State) Close(e *audit.Event) { s.observe(e) }

func (s *State) observe(e *audit.Event) {
	switch {
	case failed(e):
		if h := s.holder(e, read(e).holder); h != nil {
			h.Failures.Cap = failedCells
			h.Failures.At(e.Began()).observe(e)
			h.Messages.Cap = maxMessages
			if m := e.Message; len(m) > 0 {
				h.Messages.AddBytes(m[:min(len(m), maxMessage)])
			}
		}
	case !e.Wrote():
	case e.Verb == audit.VerbDelete:
		s.Gone.At(e.Began()).observe(e)
	default:
		s.renewed(e)
	}
}

// renewed takes in a write of the lease that took effect, also that by which a holder
// released it.
func (s *State) renewed(e *audit.Event) {
	said := read(e)
	if said.released {
		s.Gone.At(e.Began()).observe(e)
	} else {
		s.Seconds = max(s.Seconds, said.seconds)
	}
	s.Renewed.Add(e.Began())
	s.N++
	if h := s.holder(e, said.holder); h != nil {
		h.N++
		h.Renewals.Cap = beatCells
		h.Renewals.At(e.Began()).observe(e)
	}
}

// holder returns what is known of the client that sent a request, or nil if there
// is no room for it. name is whom the body names.
func (s *State) holder(e *audit.Event, name audit.View) *Holder {
	var room [256 + maxIdentity]byte
	id := append(append(append(room[:0], e.Actor().String()...), 0), e.ClientIP().String()...)
	if len(name) > 0 {
		id = append(append(id, 0), name...)
	}
	h := s.Holders.At(analysis.NameOf(id))
	if h == nil {
		return nil
	}
	if h.Name != string(name) {
		h.Name = name.String()
	}
	h.User, h.SourceIP = e.Actor().String(), e.ClientIP().String()
	h.UserAgent = max(h.UserAgent, e.UserAgent.String())
	return h
}

func (b *Beat) observe(e *audit.Event) {
	b.N++
	if b.First == nil {
		b.First, b.Last = new(tally.Late), new(tally.Late)
		b.First.Set(e)
		b.Last.Set(e)
		b.RV = sentVersion(e)
		return
	}
	if b.First.CompareEvent(e) > 0 {
		b.First.Set(e)
		b.RV = sentVersion(e)
	}
	if b.Last.CompareEvent(e) < 0 {
		b.Last.Set(e)
	}
}

// sentVersion returns the version that an update is based on, or 0.
func sentVersion(e *audit.Event) uint64 {
	rv, err := strconv.ParseUint(analysis.NameOf(e.ObjectRV), 10, 64)
	if err != nil {
		return 0
	}
	return rv
}

// Plus returns the requests of both. It uses up both.
func (b Beat) Plus(o Beat) Beat {
	switch {
	case b.N == 0:
		return o
	case o.N == 0:
		return b
	}
	b.N += o.N
	if b.First.Compare(o.First) > 0 {
		b.First, b.RV = o.First, o.RV
	}
	if b.Last.Compare(o.Last) < 0 {
		b.Last = o.Last
	}
	return b
}

// Plus returns what both know of one client.
func (h Holder) Plus(o Holder) Holder {
	h.User, h.SourceIP, h.Name = max(h.User, o.User), max(h.SourceIP, o.SourceIP), max(h.Name, o.Name)
	h.UserAgent = max(h.UserAgent, o.UserAgent)
	h.N += o.N
	h.Renewals.Merge(&o.Renewals)
	h.Failures.Merge(&o.Failures)
	h.Messages.Merge(&o.Messages)
	return h
}

// Merge takes in what another state of the lease knows.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Renewed.Merge(&other.Renewed)
	s.N += other.N
	s.Holders.Merge(&other.Holders)
	s.Gone.Merge(&other.Gone)
	s.Seconds = max(s.Seconds, other.Seconds)
	s.Selected.Merge(other.Selected)
}
