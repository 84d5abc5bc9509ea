package serverlog

import (
	"bytes"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// auditBegins is what an audit event in the text form begins with, behind its
// time:
//
//	2026-11-29T14:07:43.192483874Z AUDIT: id="..." stage="..." ip="..." ...
//
// Source: apiserver pkg/audit, EventString. Since 1.8 the time is that of the
// request's receipt, on the lines of all stages.
var auditBegins = []byte("AUDIT: id=")

// auditLine splits an audit event in the text form of
// --audit-log-format=legacy into its time and its pairs. The time may have
// been taken off, and be the clock's.
func auditLine(text []byte, clock Clock) (pairs []byte, at audit.Time, ok bool) {
	stamp, rest, ok := bytes.Cut(text, auditBegins)
	if !ok || len(stamp) > maxStamp {
		return nil, 0, false
	}
	pairs = text[len(text)-len(rest)-len("id="):]
	if len(stamp) == 0 {
		return pairs, clock.Stamp, clock.Stamp != 0
	}
	std, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSuffix(stamp, []byte(" "))))
	return pairs, audit.TimeOf(std), err == nil && std.Year() >= 1970
}

// IsAuditLine reports whether a text begins like an audit event in the legacy
// form that has lost its time.
func IsAuditLine(text []byte) bool { return bytes.HasPrefix(text, auditBegins) }

// maxStamp is longer than any time in RFC 3339.
const maxStamp = 40

// audit reads the pairs of an audit event. Up to 1.7 a request was two lines,
// the second with its ID and code alone, written with the answer's head: they
// are a RequestReceived and a ResponseComplete, and method is the HTTP method.
// Neither has a receipt, by which others would pair them in vain.
//
// Every line ends with the response, but for the first of those two, which ends
// with the URI: one that ends otherwise was cut off.
func (r *Reader) audit(pairs []byte, at audit.Time, e *audit.Event) Kind {
	e.Reset()
	var method, last []byte
	staged, empty := false, false
	for {
		key, value, rest, ok := nextPair(pairs)
		if !ok {
			break
		}
		switch string(key) {
		case "id":
			e.AuditID = audit.View(value)
		case "stage":
			e.Stage, staged = audit.ParseStage(value), true
		case "ip":
			if string(value) != "<unknown>" {
				e.SourceIPs = append(e.SourceIPs, r.Syms.Bytes(value))
			}
		case "method":
			method = value
		case "uri":
			e.URI = audit.View(value)
		case "response":
			e.Code = code(value)
		case "user-agent":
			e.UserAgent = r.Syms.Bytes(value)
		default:
			r.who(string(key), value, e)
		}
		last, empty, pairs = key, len(value) == 0, rest
	}
	switch {
	case len(e.AuditID) == 0 && len(last) > 0:
		return Unknown
	case string(last) != "response" && (staged || string(last) != "uri"), empty:
		return Torn
	}
	e.At, e.Coarse = at, true
	switch {
	case staged:
		e.Received = at
	case e.Code != 0:
		e.Stage = audit.StageResponseComplete
	default:
		e.Stage = audit.StageRequestReceived
	}
	r.auditTarget(method, e)
	return Audit
}

// who takes who made the request, and for whom.
func (r *Reader) who(key string, value []byte, e *audit.Event) {
	switch key {
	case "user":
		if string(value) != "<none>" {
			e.User = r.Syms.Bytes(value)
		}
	case "groups":
		for len(value) > 0 && value[0] == '"' {
			group, rest, ok := unquote(value)
			if !ok {
				return
			}
			e.Groups = append(e.Groups, r.Syms.Bytes(group))
			value = bytes.TrimPrefix(rest, []byte(","))
		}
	case "as":
		if string(value) != "<self>" {
			e.As = r.Syms.Bytes(value)
		}
	}
}

// auditTarget sets verb and object. The line has the verb and the namespace,
// but not the resource and the name: these are in the URI.
func (r *Reader) auditTarget(method []byte, e *audit.Event) {
	verb := r.Syms.Bytes(method)
	if len(e.URI) == 0 {
		e.Verb = verb
		return
	}
	http := httpMethod[verb]
	if http == "" {
		http = string(method) // up to 1.7
	}
	r.target([]byte(http), e)
	if http != string(method) {
		e.Verb = verb
	}
}

// httpMethod is a method whose verb is the given one, or leads to the same
// object.
var httpMethod = map[audit.Sym]string{
	audit.VerbGet: "GET", audit.VerbList: "GET", audit.VerbWatch: "GET", audit.VerbCreate: "POST", audit.VerbUpdate: "PUT",
	audit.VerbPatch: "PATCH", audit.VerbDelete: "DELETE", audit.VerbDeleteCollection: "DELETE",
}
