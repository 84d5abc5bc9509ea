package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/report"
)

// A where is the condition of --where: a jq expression on a whole event, as it
// stands in the log. All workers use it at once.
type where struct {
	ctx    context.Context // of the reading
	giveUp context.CancelCauseFunc
	code   *gojq.Code
	limits limits // on one event

	mu     sync.Mutex
	first  *whereError // the earliest failure, or nil
	failed int         // events on which it failed
}

// A whereError is an event on which the expression failed.
type whereError struct {
	ref audit.Ref
	err error
}

// selects reports whether the expression yields something other than false and
// null. An event on which it fails is not selected, nor what is no audit event:
// a line of the API server's own log has no fields.
func (w *where) selects(e *audit.Event) bool {
	if e.Origin != audit.OriginAudit {
		return false
	}
	var event any
	if err := json.Unmarshal(e.Raw, &event); err != nil {
		w.fail(e, err)
		return false
	}
	results := w.code.RunWithContext(newSteps(w.ctx, w.limits), event)
	for {
		result, ok := results.Next()
		if !ok {
			return false
		}
		if err, ok := result.(error); ok {
			w.fail(e, err)
			return false
		}
		if result != nil && result != false {
			return true
		}
	}
}

// whereLimits are what an expression may take on one event: a second or two.
// To look at every value of an event takes a hundred steps for each; one of
// 100 KB has some thousand values.
var whereLimits = limits{steps: 10_000_000, room: 512 << 20}

// newWhere returns the condition, and the context that ends when the expression
// is given up.
func newWhere(ctx context.Context, code *gojq.Code) (*where, context.Context) {
	ctx, giveUp := context.WithCancelCause(ctx)
	return &where{ctx: ctx, giveUp: giveUp, code: code, limits: whereLimits}, ctx
}

// An endlessError names an event on which the expression exceeded its limits. It
// would most likely do so on the next one too, so the reading ends.
type endlessError struct {
	ref audit.Ref
	err *limitError
}

func (e *endlessError) Error() string {
	return fmt.Sprintf("--where: it %s with an event of %s: audit ID %s, stage %s, %s",
		e.err, e.ref.Source, e.ref.AuditID, e.ref.Stage, e.ref.Time)
}

// Hint says what to do about it.
func (e *endlessError) Hint() string {
	return e.err.Hint() + "; other flags choose fewer events before it"
}

// endless returns the error of an expression that was given up in the context,
// or nil.
func endless(ctx context.Context) error {
	if err, ok := errors.AsType[*endlessError](context.Cause(ctx)); ok {
		return err
	}
	return nil
}

// fail keeps the earliest failure, so that the same log gives the same
// message whichever worker met it.
func (w *where) fail(e *audit.Event, err error) {
	if w.ctx.Err() != nil {
		return // interrupted, or given up: the expression is not at fault
	}
	if limit, ok := err.(*limitError); ok {
		w.giveUp(&endlessError{e.Ref(), limit})
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed++
	if w.first == nil || e.CompareRef(&w.first.ref) < 0 {
		w.first = &whereError{e.Ref(), err}
	}
}

// forget forgets the failures, before the logs are read again.
func (w *where) forget() { w.first, w.failed = nil, 0 }

// note returns what the report must say of events on which the condition
// failed, if there are any.
func (w *where) note() (note analysis.Note, ok bool) {
	if w.first == nil {
		return note, false
	}
	return analysis.Note{
		Kind: "where-failed", From: w.first.ref.Time, To: w.first.ref.Time,
		Text: fmt.Sprintf("--where failed on %d events, which are left out; the first is %s:%d: %v",
			w.failed, w.first.ref.Source, w.first.ref.Line+1, w.first.err),
	}, true
}

// tell says the note on standard error: whoever reads a table of findings may
// not look at its notes.
func (w *where) tell(v voice) {
	if note, ok := w.note(); ok {
		v.say("%s", report.Clean(note.Text))
	}
}
