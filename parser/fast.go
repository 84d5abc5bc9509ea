package parser

import "github.com/kaudit/kaudit/audit"

// fast decodes the events that API servers and most shippers write, in one
// pass over the line and without allocation once its caches are warm.
//
// Its law: what it accepts, reference accepts, and both fill the Event alike.
// It refuses nothing. Where a line is out of the ordinary in any way (unknown
// level, old stamps, equal keys, escaped keys, surrogates, invalid UTF-8, deep
// nesting, a wrong type, a torn line) it is unsure, and reference decides.
// FuzzDecode and TestFastIsReference hold it to that.
//
// The API server's order of keys is tried first, and never relied on.
//
// Note: reading the tail of a line backwards from its newline, without its
// body, is three times faster still on bodies, and accepts lines that were
// torn and run together. So bodies are checked as JSON, without being decoded.
type fast struct {
	syms    *audit.Syms
	scratch []byte // what was unescaped since release
	day     day
	users   [memoPlaces]userPlace
	clients [memoPlaces]clientPlace
	notes   noteMemo
}

// maxScratch is the room kept between events for unescaped text.
const maxScratch = 1 << 20

// The keys of an event, in the order in which the API server writes them.
const (
	keyKind = iota
	keyAPIVersion
	keyLevel
	keyAuditID
	keyStage
	keyRequestURI
	keyVerb
	keyUser
	keyImpersonated
	keyAuthentication
	keySourceIPs
	keyUserAgent
	keyObjectRef
	keyStatus
	keyRequestObject
	keyResponseObject
	keyReceived
	keyAt
	keyAnnotations
)

var eventKeys = hints(
	"kind", "apiVersion", "level", "auditID", "stage", "requestURI", "verb", "user", "impersonatedUser",
	"authenticationMetadata", "sourceIPs", "userAgent", "objectRef", "responseStatus", "requestObject",
	"responseObject", "requestReceivedTimestamp", "stageTimestamp", "annotations",
)

// head is how nearly every line of a log begins.
const head = `{"kind":"Event","apiVersion":"audit.k8s.io/v1",`

// release makes room for what will be unescaped.
func (f *fast) release() {
	if f.scratch = f.scratch[:0]; cap(f.scratch) > maxScratch {
		f.scratch = nil
	}
}

func (f *fast) decode(raw []byte, e *audit.Event, syms *audit.Syms) verdict {
	e.Reset()
	f.syms = syms
	var kind, apiVersion []byte
	i, next, seen, more := 0, 0, uint(0), true
	if len(raw) > len(head) && string(raw[:len(head)]) == head {
		apiVersion = raw[30:45]
		i, next, seen = len(head), keyLevel, 1<<keyKind|1<<keyAPIVersion
		if after := f.opening(raw, i, e); after > 0 {
			i, more, next = f.rest(raw, after, e)
			seen = 1<<next - 1
		} else {
			e.Reset()
		}
	} else {
		var empty bool
		if i, empty = enter(raw, 0, '{', '}'); i < 0 || empty {
			return unsure
		}
	}
	for more {
		var id int
		if id, i = eventKeys.match(raw, i, next); i < 0 {
			return unsure
		}
		if id >= 0 {
			// Before its value is read: memos take e as this value alone made it.
			if seen&(1<<id) != 0 {
				return unsure
			}
			seen |= 1 << id
			next = id + 1
		}
		switch id {
		case keyKind:
			kind, i = f.text(raw, i)
		case keyAPIVersion:
			apiVersion, i = f.text(raw, i)
		default:
			i = f.field(raw, i, id, e)
		}
		if i < 0 {
			return unsure
		}
		i, more = comma(raw, i, '}')
	}
	if i < 0 || space(raw, i) != len(raw) {
		return unsure
	}
	return finish(raw, kind, apiVersion, e)
}

// finish accepts e if it has what every event of v1 has. Where it has not, old
// or foreign fields may tell, which reference knows.
func finish(raw, kind, apiVersion []byte, e *audit.Event) verdict {
	if e.Level == audit.LevelUnknown || e.Received <= 0 || e.At <= 0 || farAhead(e) || !isEvent(kind, apiVersion, e) {
		return unsure
	}
	e.Raw = raw
	return decoded
}

// field reads the value of the key id, at i, into e. Like all functions here
// it returns the index after what it read, or -1 if fast is unsure.
func (f *fast) field(b []byte, i, id int, e *audit.Event) int {
	var s []byte
	switch id {
	case keyLevel:
		s, i = f.text(b, i)
		e.Level = audit.ParseLevel(s)
	case keyAuditID:
		e.AuditID, i = f.view(b, i)
	case keyStage:
		s, i = f.text(b, i)
		e.Stage = audit.ParseStage(s)
	case keyRequestURI:
		e.URI, i = f.view(b, i)
	case keyVerb:
		e.Verb, i = f.sym(b, i)
	case keyUser:
		i = f.user(b, i, e)
	case keyImpersonated:
		i = f.members(b, i, userKeys, e, (*fast).asField)
	case keyAuthentication:
		i = skipObject(b, i, authenticationField)
	case keySourceIPs:
		e.SourceIPs, i = f.symList(b, i, e.SourceIPs)
	case keyUserAgent:
		e.UserAgent, i = f.sym(b, i)
	case keyObjectRef:
		i = f.object(b, i, e)
	case keyStatus:
		i = f.status(b, i, e)
	case keyReceived:
		e.Received, i = f.stamp(b, i)
	case keyAt:
		e.At, i = f.stamp(b, i)
	case keyAnnotations:
		i = f.annotations(b, i, e)
	default:
		if after := skipFast(b, i); after > 0 {
			return after
		}
		i = skip(b, i)
	}
	return i
}
