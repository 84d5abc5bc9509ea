package audit

import (
	"bytes"
	"net/url"
	"strconv"
	"time"
)

// The names that questions compare with, interned once.
var (
	VerbGet              = Intern("get")
	VerbList             = Intern("list")
	VerbWatch            = Intern("watch")
	VerbCreate           = Intern("create")
	VerbUpdate           = Intern("update")
	VerbPatch            = Intern("patch")
	VerbDelete           = Intern("delete")
	VerbDeleteCollection = Intern("deletecollection")
	VerbProxy            = Intern("proxy")

	SubAttach      = Intern("attach")
	SubExec        = Intern("exec")
	SubProxy       = Intern("proxy")
	SubLog         = Intern("log")
	SubPortForward = Intern("portforward")
	SubStatus      = Intern("status")
)

// Actor returns on whose behalf the request acted: the impersonated user if
// there is one, else the user. It is empty for a request that failed
// authentication.
func (e *Event) Actor() Sym {
	if e.As != (Sym{}) {
		return e.As
	}
	return e.User
}

// ClientIP returns the address of the TCP peer: the last source IP, since
// those before it come from headers that a client may write.
func (e *Event) ClientIP() Sym {
	if len(e.SourceIPs) == 0 {
		return Sym{}
	}
	return e.SourceIPs[len(e.SourceIPs)-1]
}

// LongRunning reports whether the API server exempts the request from its
// request timeout: watches, proxies, attach, exec, log (followed or not),
// portforward and pprof. Source: kubernetes
// pkg/controlplane/apiserver/config.go, LongRunningFunc.
func (e *Event) LongRunning() bool {
	switch e.Verb {
	case VerbWatch, VerbProxy:
		return true
	}
	switch e.Subresource {
	case SubAttach, SubExec, SubProxy, SubLog, SubPortForward:
		return true
	}
	return e.Resource == (Sym{}) && bytes.HasPrefix(e.URI, []byte("/debug/pprof/"))
}

// IsWatch reports whether the request is a watch, over whatever transport.
func (e *Event) IsWatch() bool { return e.Verb == VerbWatch }

// Hijacked reports whether the connection was taken over: exec, attach,
// portforward and upgrades through a proxy, which the API server records with
// code 101. A watch over a WebSocket has code 101 too, and is a watch. Source:
// apiserver pkg/endpoints/filters/audit.go, Hijack.
func (e *Event) Hijacked() bool { return e.Code == 101 && e.Verb != VerbWatch }

// Final reports whether the request ended with this event.
func (e *Event) Final() bool { return e.Stage == StageResponseComplete || e.Stage == StagePanic }

// IsWrite reports whether the verb changes objects of a resource.
func (e *Event) IsWrite() bool {
	switch e.Verb {
	case VerbCreate, VerbUpdate, VerbPatch, VerbDelete, VerbDeleteCollection:
		return e.Resource != (Sym{})
	}
	return false
}

// Wrote reports whether the event says that a write took effect: it is final
// and was answered 2xx. A delete answered 404 and a create answered 409 did
// nothing. Requests to long-running subresources (a SPDY exec is a create)
// and dry runs change no object.
func (e *Event) Wrote() bool {
	return e.Stage == StageResponseComplete && e.Code >= 200 && e.Code < 300 &&
		e.IsWrite() && !e.LongRunning() && !e.dryRun()
}

func (e *Event) dryRun() bool {
	return bytes.IndexByte(e.URI, '?') >= 0 && bytes.Contains(e.URI, []byte("dryRun=")) && len(e.Param("dryRun")) > 0
}

// Latency returns how long the request took: from its receipt to this stage.
// It has none unless it is final and both stamps have microseconds.
func (e *Event) Latency() (d time.Duration, ok bool) {
	if !e.Final() || e.Coarse || e.Received == 0 || e.At == 0 {
		return 0, false
	}
	return e.At.Sub(e.Received), true
}

// Began returns when the request began: its receipt, or the stage's time
// where the log has no receipt. ResponseStarted never tells: the API server
// may write it when a watch ends.
func (e *Event) Began() Time {
	if e.Received != 0 {
		return e.Received
	}
	return e.At
}

// Param returns the first value of a parameter of the request's query,
// URL-decoded, or nil. It returns a part of the URI where nothing is escaped.
func (e *Event) Param(name string) View {
	_, query, ok := bytes.Cut(e.URI, []byte("?"))
	for ok {
		var pair []byte
		pair, query, ok = bytes.Cut(query, []byte("&"))
		key, value, _ := bytes.Cut(pair, []byte("="))
		if string(key) != name {
			continue
		}
		if bytes.IndexByte(value, '%') < 0 && bytes.IndexByte(value, '+') < 0 {
			return value
		}
		plain, err := url.QueryUnescape(string(value))
		if err != nil {
			return value
		}
		return View(plain)
	}
	return nil
}

// ResourceVersion returns the resourceVersion parameter of a list or watch as
// a number. RV "0" and no RV are no positions and give ok false, as does one
// that is no number. See
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions.
func (e *Event) ResourceVersion() (rv uint64, ok bool) {
	v := e.Param("resourceVersion")
	if len(v) == 0 || len(v) > 20 {
		return 0, false
	}
	rv, err := strconv.ParseUint(string(v), 10, 64)
	return rv, err == nil && rv > 0
}

// InitialEvents reports whether a watch asks for the state it starts from:
// sendInitialEvents=true (KEP-3157), or resourceVersion 0 or none.
func (e *Event) InitialEvents() bool {
	if string(e.Param("sendInitialEvents")) == "true" {
		return true
	}
	v := e.Param("resourceVersion")
	return len(v) == 0 || string(v) == "0"
}

// TimeoutSeconds returns how long a watch asked to live; ok is false if it
// left that to the server (1800 to 3600 s by default).
func (e *Event) TimeoutSeconds() (d time.Duration, ok bool) {
	v := e.Param("timeoutSeconds")
	if len(v) == 0 {
		return 0, false // an error from strconv would be an allocation
	}
	n, err := strconv.ParseUint(string(v), 10, 31)
	return time.Duration(n) * time.Second, err == nil && n > 0
}

// Annotation returns the value of the annotation, or nil.
func (e *Event) Annotation(key Sym) View {
	for i := range e.Annotations {
		if e.Annotations[i].Key == key {
			return e.Annotations[i].Value
		}
	}
	return nil
}
