package audit

// An Origin says what kind of log an Event was read from.
type Origin uint8

const (
	// OriginAudit is an audit log: what all questions are asked of.
	OriginAudit Origin = iota
	// OriginHTTPLog is a request as the API server's own log tells it in one
	// line at its end (httplog): it has no user, no level and no body.
	OriginHTTPLog
	// OriginLine is another line of the own log of an API server or kubelet:
	// no request, but a sign of what went wrong. Reason is one of the Line
	// kinds, Message says what the line says.
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
