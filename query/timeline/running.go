package timeline

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A request tells requests apart: clients may send audit IDs twice.
type request struct {
	auditID  string
	received audit.Time
}

// A begun is a request that has begun and not ended.
type begun struct {
	entry *Entry // its beginning, as long as it is not told
	line  *Line  // that tells its beginning
}

// brief is how long a beginning waits for its end: of a request that ends so
// soon the end tells all.
const brief = time.Second

// overdue is how long a request without an answer may last that is nothing to
// tell: the API server gives up after a minute, unless told otherwise.
const overdue = time.Minute

// begins reports whether the entry is of a request that goes on.
func begins(e *Entry) bool {
	stage := e.Record.Stage
	return stage == audit.StageRequestReceived.String() || stage == audit.StageResponseStarted.String() && e.Record.Code < 400
}

// begin takes in the beginning of a request. That of a session or a watch is
// told if it lasts; that a request came is told if the log has nothing more of it.
func (t *Teller) begin(e *Entry) {
	of := request{e.Record.AuditID, e.Record.Received}
	b := t.running[of]
	if b == nil {
		if len(t.running) >= maxLines && e.Proof == nil {
			t.left++
			return
		}
		b = &begun{}
		t.running[of] = b
	}
	started := e.Record.Stage == audit.StageResponseStarted.String()
	switch {
	case e.Proof != nil:
		t.runs(b, e)
	case b.line != nil: // it is told
	case !started:
		b.entry = e
	default:
		b.entry = e
		t.waiting = append(t.waiting, b)
	}
}

// runs tells a beginning.
func (t *Teller) runs(b *begun, e *Entry) {
	if b.line != nil {
		b.line.Running--
	}
	b.entry, b.line = nil, t.tell(e)
	if b.line != nil {
		b.line.Running++
	}
}

// end takes in that a request has ended.
func (t *Teller) end(e *Entry) {
	of := request{e.Record.AuditID, e.Record.Received}
	if b := t.running[of]; b != nil {
		b.entry = nil
		if b.line != nil {
			b.line.Running--
		}
		delete(t.running, of)
	}
}

// release tells the beginnings of what lasts since a time.
func (t *Teller) release(since audit.Time) {
	for len(t.waiting) > 0 {
		b := t.waiting[0]
		if b.entry != nil && b.entry.Record.Time > since {
			return
		}
		if b.entry != nil {
			t.runs(b, b.entry)
		}
		t.waiting = t.waiting[1:]
	}
}

// finish tells of what has not ended: also of requests that came and were not
// answered, if there was time enough.
func (t *Teller) finish() {
	t.release(audit.Time(1<<63 - 1))
	var unanswered []*begun
	for _, b := range t.running {
		if b.entry != nil && t.End.Sub(b.entry.Record.Time) >= overdue {
			unanswered = append(unanswered, b)
		}
	}
	slices.SortFunc(unanswered, func(a, b *begun) int { return a.entry.Record.Compare(b.entry.Record) })
	for _, b := range unanswered {
		t.runs(b, b.entry)
	}
}
