package endpointflap

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// How much is kept of one name: some 64 KiB for endpoints that flap all day,
// and a few hundred bytes for those that are only updated.
const (
	maxMoves   = 256
	maxWriters = 16
	maxSlices  = 256 // as many as can come and go within maxMoves
	roundWords = 256 // of steps of a second: of deletions all over a log of four hours
)

// A State is what is known of the endpoints of one name.
type State struct {
	Endpoints History `json:"endpoints"`
	Service   History `json:"service"`
	Slices    History `json:"slices"` // of the Service, by the name that it gave them

	// Writers are the creates and updates of the Endpoints by actor, and
	// Updated is when the last update was received.
	Writers tally.Table[tally.Count] `json:"writers"`
	Updated audit.Time               `json:"updated"`
	// Known counts writes of the Service, all of which need it to exist.
	Known int64 `json:"known,omitempty"`

	Names        tally.Table[Slice]       `json:"names"` // of slices
	SliceWriters tally.Table[tally.Count] `json:"sliceWriters"`
	Cleared      tally.Cover              `json:"cleared"` // when slices were deleted, but for their controller's work

	// Unnamed are creations of slices by actor; see sliceKey.
	Unnamed tally.Table[tally.Intervals] `json:"unnamed"`
}

func newState() *State {
	return &State{
		Endpoints: newHistory(maxMoves), Service: newHistory(maxMoves), Slices: newHistory(maxMoves),
		Writers:      tally.Table[tally.Count]{Cap: maxWriters},
		SliceWriters: tally.Table[tally.Count]{Cap: maxWriters},
		Names:        tally.Table[Slice]{Cap: maxSlices},
		Cleared:      tally.Cover{StepMicros: burst.Microseconds(), Cap: roundWords},
		Unnamed:      tally.Table[tally.Intervals]{Cap: maxWriters},
	}
}

// Observe takes in a write that took effect.
func (s *State) Observe(e *audit.Event) {
	switch e.Resource {
	case resEndpoints:
		s.observeEndpoints(e)
	case resServices:
		s.observeService(e)
	default:
		s.observeSlice(e)
	}
}

// Close takes in what was left out: it may make a deletion good, or explain it.
func (s *State) Close(e *audit.Event) {
	if e.Resource == resServices || e.Verb != audit.VerbDelete {
		s.Observe(e)
	}
}

// creates reports whether a write made an object: an update or an apply
// answered 201 did so too.
func creates(e *audit.Event) bool { return e.Verb == audit.VerbCreate || e.Code == 201 }

func (s *State) observeEndpoints(e *audit.Event) {
	if e.Verb == audit.VerbDelete {
		s.Endpoints.deleted(newMove(e))
		return
	}
	if n := s.Writers.At(e.Actor().String()); n != nil {
		*n++
	}
	if creates(e) {
		s.Endpoints.created(newMove(e))
		return
	}
	s.Updated = max(s.Updated, e.Began())
}

func (s *State) observeService(e *audit.Event) {
	s.Known++
	switch {
	case e.Verb == audit.VerbDelete:
		s.Service.deleted(newMove(e))
	case creates(e):
		s.Service.created(newMove(e))
	}
}

// Merge takes in what another state of the same name knows.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Endpoints.Cells.Merge(&other.Endpoints.Cells)
	s.Service.Cells.Merge(&other.Service.Cells)
	s.Slices.Cells.Merge(&other.Slices.Cells)
	s.Writers.Merge(&other.Writers)
	s.Updated = max(s.Updated, other.Updated)
	s.Known += other.Known
	s.SliceWriters.Merge(&other.SliceWriters)
	s.Names.Merge(&other.Names)
	s.Cleared.Merge(&other.Cleared)
	s.Unnamed.Merge(&other.Unnamed)
}

// Report tells of the Endpoints, or else of the slices.
func (s *State) Report(p *analysis.Pass) {
	if p.Key.Kind == kindUnnamed {
		s.reportUnnamed(p)
		return
	}
	s.reportGap(p)
	j := newJudge(p, s)
	if !j.reportEndpoints() {
		j.reportSlices()
	}
}

// usual returns the actor who wrote most often.
func usual(writers *tally.Table[tally.Count]) string {
	var name string
	var most tally.Count
	for _, row := range writers.Sorted() {
		if row.Value > most {
			name, most = row.Name, row.Value
		}
	}
	return name
}
