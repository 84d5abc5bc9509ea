// Package serverlog reads the text that API servers and kubelets write besides JSON audit
// events: lines of klog, among them those of httplog, which has one for each request, and
// audit events in the text form of --audit-log-format=legacy. A [Reader] turns one line
// into an event:
//
//	text -> klog header -> a request (request.go), a line that says what went
//	   wrong (line.go), or nothing of use
//	text -> AUDIT: key="value" ... -> an audit event (auditline.go)
//
// A Reader remembers nothing: what a line means must not depend on the lines before it.
package serverlog

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// A Kind says what a text was found to be.
type Kind uint8

const (
	// Unknown is a text that this package can't read.
	Unknown Kind = iota
	// Plain is a klog line without use for any analyzer.
	Plain
	// Request is a request, which httplog logs at its end.
	Request
	// Line is a klog line that says what went wrong; Event.Reason names its kind.
	Line
	// Audit is an audit event in the legacy text form.
	Audit
	// Torn is an audit event in the legacy text form that was cut off.
	Torn
)

// A Reader turns texts into events. It is for one goroutine.
type Reader struct {
	Syms *audit.Syms // interns names
	path [][]byte    // scratch: the parts of a URI's path
}

// Likely reports, by its beginning, whether a text is likely to be one that Read can read.
func Likely(text []byte) bool {
	if HasHeader(text) || bytes.HasPrefix(text, early) || bytes.Contains(text[:min(len(text), maxStamp+len(auditBegins))], auditBegins) {
		return true
	}
	return bytes.HasPrefix(text, crashes[0]) || bytes.HasPrefix(text, crashes[1])
}

// Read reads a text into e and returns its kind. If that is Unknown or Plain, e is as it
// was; if it is Torn, e holds nothing useful. Views of e may point into text. The caller
// sets Raw, and where the event stands.
func (r *Reader) Read(text []byte, clock Clock, e *audit.Event) Kind {
	if pairs, at, ok := auditLine(text, clock); ok {
		return r.audit(pairs, at, e)
	}
	h, body, ok := ParseHeader(text)
	if !ok {
		return r.crash(text, clock, e)
	}
	if r.request(h, body, clock, e) {
		return Request
	}
	if r.line(h, body, clock, e) {
		return Line
	}
	return Plain
}
