package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/report"
)

// A where is the condition of --where: a jq expression on the whole event, as
// it stands in the log. Workers share it.
type where struct {
	ctx  context.Context
	code *gojq.Code

	mu    sync.Mutex
	first *whereError
}

// A whereError is an event on which the expression failed.
type whereError struct {
	ref audit.Ref
	err error
}

// selects reports whether the expression yields something other than false and
// null. An event on which it fails is not selected.
func (w *where) selects(e *audit.Event) bool {
	var event any
	if err := json.Unmarshal(e.Raw, &event); err != nil {
		w.failed(e, err)
		return false
	}
	results := w.code.RunWithContext(w.ctx, event)
	for {
		result, ok := results.Next()
		if !ok {
			return false
		}
		if err, ok := result.(error); ok {
			w.failed(e, err)
			return false
		}
		if result != nil && result != false {
			return true
		}
	}
}

// failed keeps the earliest failure, so that the same log gives the same
// message whichever worker met it.
func (w *where) failed(e *audit.Event, err error) {
	if w.ctx.Err() != nil {
		return // interrupted: the expression is not at fault
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil || e.CompareRef(&w.first.ref) < 0 {
		w.first = &whereError{e.Ref(), err}
	}
}

// tell writes to out where the condition failed first, if it did. line
// resolves a position.
func (w *where) tell(out io.Writer, line func(audit.Ref) int) {
	if w.first == nil {
		return
	}
	fmt.Fprintf(out, "kaudit: scan: %s:%d: --where fails on this event, and perhaps on later ones, which are left out: %s\n",
		report.Clean(w.first.ref.Source), line(w.first.ref), report.Clean(w.first.err.Error()))
}
