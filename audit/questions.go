package audit

import (
	"bytes"
	"time"
)

// Names that are compared with often, interned once.
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

// Actor returns the user that the request acted as: the impersonated user if
// there is one, else the authenticated user. It is empty for a request that
// failed authentication.
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
	if e.Class != 0 {
		return e.Class&ClassLong != 0
	}
	return e.longRunning()
}

func (e *Event) longRunning() bool {
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
	if e.Class != 0 {
		return e.Class&ClassWrote != 0
	}
	return e.wrote(e.kind())
}

// wrote answers for an event of this kind. The query, which is the last to be
// looked at, has not been read yet as a rule.
func (e *Event) wrote(kind Class) bool {
	const writes = ClassCreate | ClassUpdate | ClassPatch | ClassDelete | ClassDeleteCollection
	return kind&ClassComplete != 0 && kind&writes != 0 && kind&ClassResource != 0 &&
		e.Code >= 200 && e.Code < 300 && !e.longRunning() && !e.dryRun()
}

func (e *Event) dryRun() bool {
	return bytes.IndexByte(e.URI, '?') >= 0 && bytes.Contains(e.URI, []byte("dryRun=")) && len(e.Param("dryRun")) > 0
}

// Latency returns how long the request took, from when it was received to this
// stage. ok is false unless the event is final and both timestamps have
// microseconds.
func (e *Event) Latency() (d time.Duration, ok bool) {
	if !e.Final() || e.Coarse || e.Received == 0 || e.At == 0 {
		return 0, false
	}
	return e.At.Sub(e.Received), true
}

// Began returns when the request was received, or the time of this stage if the
// log has no requestReceivedTimestamp. The time of ResponseStarted is no
// substitute in general: the API server may write that stage when a watch ends.
func (e *Event) Began() Time {
	if e.Received != 0 {
		return e.Received
	}
	return e.At
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
