// Package serverlog reads the text that API servers and kubelets write beside
// their audit events: lines of klog, among them httplog's, one a request, and
// audit events in the text form of --audit-log-format=legacy.
//
//	text -> klog header -> a request (request.go), a line that says what went
//	   wrong (line.go), or nothing of use
//	text -> AUDIT: key="value" ... -> an audit event (auditline.go)
//
// One line is read at a time, and nothing is remembered: what a line means
// must not depend on what stood before it.
package serverlog

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// A Kind says what a text was found to be.
type Kind uint8

const (
	// Unknown: none of this package's.
	Unknown Kind = iota
	// Plain: a line of klog that says nothing of use.
	Plain
	// Request: a request, as httplog tells it at its end.
	Request
	// Line: a line that says what went wrong; Event.Reason names its kind.
	Line
	// Audit: an audit event in the legacy text form.
	Audit
	// Torn: the beginning of one, cut off.
	Torn
)

// A Reader turns texts into events. It is for one goroutine.
type Reader struct {
	Syms *audit.Syms // where names are interned
	path [][]byte    // of the last URI
}

// Likely reports whether a text is likely to be one that Read reads: it looks
// at the beginning only.
func Likely(text []byte) bool {
	if HasHeader(text) || bytes.HasPrefix(text, early) || bytes.Contains(text[:min(len(text), maxStamp+len(auditBegins))], auditBegins) {
		return true
	}
	return bytes.HasPrefix(text, crashes[0]) || bytes.HasPrefix(text, crashes[1])
}

// Read reads a text into e, which it resets first unless the kind is Unknown
// or Plain; of what is Torn it holds nothing of worth. Views of e may point into text. Where the event stands is the
// caller's to say, and so is Raw.
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
