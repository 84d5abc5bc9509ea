package audit

// An Origin says what kind of log an Event was read from.
type Origin uint8

const (
	// OriginAudit is an audit log, which has all that analyzers ask for.
	OriginAudit Origin = iota
	// OriginHTTPLog is httplog: the API server's own log has one line for a
	// request, written when it ends. Such an event has no user, no level
	// and no body.
	OriginHTTPLog
	// OriginLine is any other line of an API server's or kubelet's own log
	// that shows that something went wrong. It is no request. Reason is one
	// of the Line kinds, and Message is the text of the line.
	OriginLine
)

// The kinds of lines of an API server's or kubelet's own log: Event.Reason of
// OriginLine.
var (
	LinePanic       = Intern("panic")              // a handler panicked; Message is the value
	LinePanicked    = Intern("panicked")           // which request that was
	LineCrash       = Intern("crash")              // the process ended by a panic or fatal error
	LineForcedClose = Intern("forced-close")       // a watch was closed, since its client did not read
	LineAborted     = Intern("timeout-or-abort")   // a request was given up
	LineTooOld      = Intern("too-old")            // a reflector's watch ended: its resourceVersion was too old
	LineNodeStatus  = Intern("node-status-failed") // a kubelet got no answer to its heartbeat; Name is the node
)
