package tally

import "github.com/kaudit/kaudit/audit"

// A Balance counts how many requests began, were answered and ended, by the step in which
// they were received, which all stages of a request share. If fewer ended than began, some
// are unfinished since that step. It counts all the requests that Pairs samples, but can't
// name them; an event that is read twice counts twice.
type Balance struct {
	Cells Cells[Stages] `json:"cells"`
}

// Stages are how many requests reached each stage of their lives.
type Stages struct {
	Received int64 `json:"received,omitempty"` // RequestReceived
	Started  int64 `json:"started,omitempty"`  // ResponseStarted of long-running ones
	Closed   int64 `json:"closed,omitempty"`   // see Pairs
}

// Plus returns the sum.
func (s Stages) Plus(o Stages) Stages {
	return Stages{s.Received + o.Received, s.Started + o.Started, s.Closed + o.Closed}
}

// Observe takes in an event of a request.
func (b *Balance) Observe(e *audit.Event) {
	if e.Code == 401 {
		return
	}
	cell := b.Cells.At(e.Began())
	switch {
	case closes(e):
		cell.Closed++
	case e.Stage == audit.StageRequestReceived:
		cell.Received++
	case e.Stage == audit.StageResponseStarted:
		cell.Started++
	}
}

// Close takes in an event that may end a request and must not begin one.
func (b *Balance) Close(e *audit.Event) {
	if e.Code != 401 && closes(e) {
		b.Cells.At(e.Began()).Closed++
	}
}

// Merge takes in what o has counted.
func (b *Balance) Merge(o *Balance) { b.Cells.Merge(&o.Cells) }
