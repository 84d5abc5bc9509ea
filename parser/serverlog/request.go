package serverlog

import (
	"bytes"
	"net"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// request reads a line of httplog, which the API server writes at the end of
// each request at -v=3 (-v=2 before 1.18), in one of the forms that apiserver
// pkg/server/httplog (pkg/httplog before 1.6) has had:
//
//	GET /path: (1.2ms) 200 [[agent] 10.0.0.1:4321]       to 1.14
//	GET /path: (1.2ms) 200 [agent 10.0.0.1:4321]         to 1.17
//	verb="GET" URI="/path" latency=1.2ms resp=200 ...    1.18, 1.19
//	"HTTP" verb="GET" URI="/path" latency="1.2ms" ...    since
//
// A connection that was taken over has no code, but says "hijacked". Code 500
// and above brings a stack, in lines that follow.
func (r *Reader) request(h Header, body []byte, clock Clock, e *audit.Event) bool {
	if message, pairs, ok := structured(body); ok {
		return string(message) == "HTTP" && r.paired(h, pairs, clock, e)
	}
	if bytes.HasPrefix(body, []byte(`verb="`)) {
		return r.paired(h, body, clock, e)
	}
	return r.sentence(h, body, clock, e)
}

// paired reads the forms that are made of pairs.
func (r *Reader) paired(h Header, pairs []byte, clock Clock, e *audit.Event) bool {
	e.Reset()
	var method []byte
	latency, timed := time.Duration(0), false
	for {
		key, value, rest, ok := nextPair(pairs)
		if !ok {
			break
		}
		switch string(key) {
		case "verb":
			method = value
		case "URI":
			e.URI = audit.View(value)
		case "latency":
			latency, timed = duration(value)
		case "resp":
			e.Code = code(value)
		case "hijacked":
			e.Code = 101
		case "userAgent", "UserAgent":
			e.UserAgent = r.Syms.Bytes(value)
		case "audit-ID":
			e.AuditID = audit.View(value)
		case "srcIP":
			r.peer(value, e)
		}
		pairs = rest
	}
	if bytes.HasPrefix(bytes.TrimLeft(pairs, ": "), []byte("hijacked")) {
		e.Code = 101
	}
	return timed && len(e.URI) > 0 && r.ended(h, method, latency, clock, e)
}

// sentence reads the forms up to 1.17.
func (r *Reader) sentence(h Header, body []byte, clock Clock, e *audit.Event) bool {
	method, rest, ok := bytes.Cut(body, []byte(" "))
	if _, known := methods[string(method)]; !ok || !known && string(method) != "OPTIONS" {
		return false
	}
	end := bytes.Index(rest, []byte(": ("))
	if end <= 0 || rest[0] != '/' {
		return false
	}
	uri, rest := rest[:end], rest[end+3:]
	took, rest, ok := bytes.Cut(rest, []byte(") "))
	latency, timed := duration(took)
	if !ok || !timed {
		return false
	}
	e.Reset()
	e.URI = audit.View(uri)
	answer, rest, _ := bytes.Cut(rest, []byte(" "))
	if e.Code = code(answer); string(answer) == "hijacked" {
		e.Code = 101
	}
	r.client(rest, e)
	return e.Code != 0 && r.ended(h, method, latency, clock, e)
}

// client reads "[agent ip:port]" or "[[agent] ip:port]". A request of code 500
// and above has it behind its stack, on a line that is not seen here.
func (r *Reader) client(text []byte, e *audit.Event) {
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]"))
	space := bytes.LastIndexByte(text, ' ')
	if space < 0 {
		return
	}
	agent := text[:space]
	if bytes.HasPrefix(agent, []byte("[")) {
		agent = bytes.TrimSuffix(agent[1:], []byte("]"))
	}
	e.UserAgent = r.Syms.Bytes(agent)
	r.peer(text[space+1:], e)
}

// ended completes the event of a request that ended when its line was written.
func (r *Reader) ended(h Header, method []byte, latency time.Duration, clock Clock, e *audit.Event) bool {
	e.Origin, e.Stage = audit.OriginHTTPLog, audit.StageResponseComplete
	e.At, e.Guessed = clock.At(h)
	e.Received = e.At.Add(-latency)
	r.target(method, e)
	return true
}

// peer adds an address without its port.
func (r *Reader) peer(address []byte, e *audit.Event) {
	if host, _, err := net.SplitHostPort(string(address)); err == nil {
		address = []byte(host)
	}
	if len(address) > 0 {
		e.SourceIPs = append(e.SourceIPs, r.Syms.Bytes(address))
	}
}

func duration(text []byte) (time.Duration, bool) {
	d, err := time.ParseDuration(string(text))
	return d, err == nil && d >= 0
}

// code returns an HTTP status, or 0.
func code(text []byte) int {
	if len(text) != 3 || leadingDigits(text) != 3 {
		return 0
	}
	return number(text)
}
