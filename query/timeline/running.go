package timeline

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A request identifies a request. An audit ID alone does not: clients may choose it.
type request struct {
	auditID  string
	received audit.Time
}

// A begun is a request that has begun and not ended.
type begun struct {
	entry *Entry // its beginning, as long as it has no line
	line  *Line  // the line of its beginning, or nil
	log   string
	at    audit.Time // when it began
}

// A Restart is that of an API server: when it wrote its last line in a log before it started
// again, and when it did that.
type Restart struct {
	Log      string
	From, To audit.Time
}

// brief is how long a beginning waits for its end before it gets a line. If the
// request ends sooner, the line of its end tells all.
const brief = time.Second

// overdue is from when on a request without an answer is worth a line: by default
// the API server gives up after a minute.
const overdue = time.Minute

// begins reports whether the entry is the beginning of a request that goes on.
func begins(e *Entry) bool {
	stage := e.Record.Stage
	return stage == audit.StageRequestReceived.String() || stage == audit.StageResponseStarted.String() && e.Record.Code < 400
}

// begin takes in the beginning of a request. A session or a watch gets a line for
// it if it lasts; another request only if the log has nothing more of it.
func (t *Teller) begin(e *Entry) {
	of := request{e.Record.AuditID, e.Record.Received}
	b := t.running[of]
	if b == nil {
		if len(t.running) >= maxLines && e.Proof == nil {
			t.left++
			return
		}
		b = &begun{log: e.log, at: e.Record.Time}
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

// runs makes a line of a beginning.
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

// release makes lines of the beginnings at or before a time whose ends have not
// come.
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

// finish makes lines of what has not ended, also of requests that had no answer
// although there was time for one.
func (t *Teller) finish() {
	t.release(audit.Time(1<<63 - 1))
	var unanswered []*begun
	for _, b := range t.running {
		if _, stopped := t.stopped(b); b.entry != nil && (stopped || t.End.Sub(b.entry.Record.Time) >= overdue) {
			unanswered = append(unanswered, b)
		}
	}
	slices.SortFunc(unanswered, func(a, b *begun) int { return a.entry.Record.Compare(b.entry.Record) })
	for _, b := range unanswered {
		t.runs(b, b.entry)
	}
	for _, b := range t.running {
		if r, stopped := t.stopped(b); stopped && b.line != nil {
			b.line.stop(r)
		}
	}
}

// stopped returns the first restart of its API server after a request began, if there is one.
func (t *Teller) stopped(b *begun) (Restart, bool) {
	i := slices.IndexFunc(t.Restarts, func(r Restart) bool { return r.Log == b.log && b.at < r.To })
	if i < 0 {
		return Restart{}, false
	}
	return t.Restarts[i], true
}

// stop takes in that a request of the line ended with its API server.
func (l *Line) stop(r Restart) {
	l.Running--
	l.Stopped++
	if l.StoppedFrom == 0 || r.From < l.StoppedFrom {
		l.StoppedFrom = r.From
	}
	l.StoppedTo = max(l.StoppedTo, r.To)
}
