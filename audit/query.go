package audit

import (
	"bytes"
	"net/url"
	"strconv"
	"time"
)

// A Query holds the query parameters of a list or watch. Numbers are parsed;
// text is as in the URI, that is, still URL-encoded.
type Query struct {
	RV       uint64 // resourceVersion as a number; 0 if it is no position (see ResourceVersion)
	Initial  bool   // see Event.InitialEvents
	Continue bool   // the request asks for another page of a list
	Timeout  int32  // timeoutSeconds; 0 if it has none
	Fields   View   // fieldSelector
	Labels   View   // labelSelector
}

// parseQuery reads the query of a URI in one pass. Of a parameter that comes
// twice the first counts, as it does for the API server.
func parseQuery(uri View) Query {
	var q Query
	var rv, initial, timeout, more View
	at := bytes.IndexByte(uri, '?')
	for rest := uri[at+1:]; at >= 0 && len(rest) > 0; {
		var pair []byte
		pair, rest = cutByte(rest, '&')
		key, value := cutByte(pair, '=')
		switch string(key) {
		case "resourceVersion":
			first(&rv, value)
		case "timeoutSeconds":
			first(&timeout, value)
		case "sendInitialEvents":
			first(&initial, value)
		case "continue":
			first(&more, value)
		case "fieldSelector":
			first(&q.Fields, value)
		case "labelSelector":
			first(&q.Labels, value)
		}
	}
	version := unescape(rv)
	q.RV, _ = position(version)
	q.Initial = string(unescape(initial)) == "true" || len(version) == 0 || string(version) == "0"
	q.Continue = len(more) > 0
	q.Timeout = seconds(unescape(timeout))
	return q
}

// first sets v unless it is set. An empty value is one too.
func first(v *View, value []byte) {
	if *v == nil {
		*v = value[:len(value):len(value)]
	}
}

// cutByte is bytes.Cut for one byte. What is not there is empty, and not nil.
func cutByte(b []byte, sep byte) (before, after []byte) {
	if i := bytes.IndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, b[len(b):]
}

// unescape decodes what is URL-encoded. It returns v itself where nothing is.
func unescape(v View) View {
	if bytes.IndexByte(v, '%') < 0 && bytes.IndexByte(v, '+') < 0 {
		return v
	}
	plain, err := url.QueryUnescape(string(v))
	if err != nil {
		return v
	}
	return View(plain)
}

// Param returns the first value of a parameter of the request's query,
// URL-decoded, or nil. It returns a part of the URI where nothing is escaped.
func (e *Event) Param(name string) View {
	_, query, ok := bytes.Cut(e.URI, []byte("?"))
	for ok {
		var pair []byte
		pair, query, ok = bytes.Cut(query, []byte("&"))
		key, value, _ := bytes.Cut(pair, []byte("="))
		if string(key) == name {
			return unescape(value)
		}
	}
	return nil
}

// Asked returns the query parameters of a list or watch.
func (e *Event) Asked() Query {
	if e.Class&(ClassWatch|ClassList) != 0 {
		return e.Query
	}
	return parseQuery(e.URI)
}

// ResourceVersion returns the resourceVersion parameter of a list or watch as a
// number. ok is false if there is none, if it is "0", which means any version
// and so is no position, or if it is not a number. See
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
func (e *Event) ResourceVersion() (rv uint64, ok bool) {
	if e.Class&(ClassWatch|ClassList) != 0 {
		return e.Query.RV, e.Query.RV > 0
	}
	return position(e.Param("resourceVersion"))
}

func position(v View) (rv uint64, ok bool) {
	if len(v) == 0 || len(v) > 20 {
		return 0, false
	}
	rv, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return 0, false // an overflow gives a number too
	}
	return rv, rv > 0
}

// InitialEvents reports whether a watch asks for the current state before the
// changes: it has sendInitialEvents=true (KEP-3157), or resourceVersion 0 or
// none.
func (e *Event) InitialEvents() bool {
	if e.Class&(ClassWatch|ClassList) != 0 {
		return e.Query.Initial
	}
	return parseQuery(e.URI).Initial
}

// TimeoutSeconds returns the parameter timeoutSeconds of a watch: how long it
// asked to stay open. ok is false if it left that to the server (1800 to 3600 s
// by default).
func (e *Event) TimeoutSeconds() (d time.Duration, ok bool) {
	n := e.Query.Timeout
	if e.Class&(ClassWatch|ClassList) == 0 {
		n = seconds(e.Param("timeoutSeconds"))
	}
	return time.Duration(n) * time.Second, n > 0
}

// seconds returns the number that v is, or 0.
func seconds(v View) int32 {
	if len(v) == 0 || len(v) > 10 {
		return 0 // an error from strconv would be an allocation
	}
	n, err := strconv.ParseUint(string(v), 10, 31)
	if err != nil {
		return 0
	}
	return int32(n)
}
