package parser

import (
	"encoding/binary"

	"github.com/kaudit/kaudit/audit"
)

// What follows are short cuts through the usual parts of an event that an API
// server wrote: with the same keys in the same order, a comparison with constant
// text takes the place of a look-up. They return the index after what they read,
// or 0 if it looks otherwise; then e may hold some of it, and must be cleared.

// opening reads from the level to the user agent, and the comma after it.
func (f *fast) opening(b []byte, i int, e *audit.Event) int {
	if i = f.request(b, i, e); i == 0 {
		return 0
	}
	if i = f.user(b, i, e); i < 0 {
		return 0
	}
	if i = f.client(b, i, e); i <= 0 || i >= len(b) || b[i] != ',' {
		return 0
	}
	return i + 1
}

var (
	litLevel     = literal(`"level":"`)
	litMetadata  = literal(`Metadata","auditID":"`)
	litResponse  = literal(`RequestResponse","auditID":"`)
	litRequest   = literal(`Request","auditID":"`)
	litStage     = literal(`","stage":"Re`)
	litCompleted = literal(`ResponseComplete","requestURI":`)
	litReceived  = literal(`RequestReceived","requestURI":`)
	litStarted   = literal(`ResponseStarted","requestURI":`)
	litVerb      = literal(`,"verb":"`)
	litUser      = literal(`,"user":{`)
)

// request reads from the level to the key of the user.
func (f *fast) request(b []byte, i int, e *audit.Event) int {
	if !litLevel.at(b, i) {
		return 0
	}
	switch i += litLevel.size; {
	case litMetadata.at(b, i):
		e.Level = audit.LevelMetadata
		i += litMetadata.size
	case litResponse.at(b, i):
		e.Level = audit.LevelRequestResponse
		i += litResponse.size
	case litRequest.at(b, i):
		e.Level = audit.LevelRequest
		i += litRequest.size
	default:
		return 0
	}
	end := special(b, i)
	if !litStage.at(b, end) {
		return 0
	}
	e.AuditID = b[i:end:end]
	switch i = end + len(`","stage":"`); {
	case litCompleted.at(b, i):
		e.Stage = audit.StageResponseComplete
		i += litCompleted.size
	case litReceived.at(b, i):
		e.Stage = audit.StageRequestReceived
		i += litReceived.size
	case litStarted.at(b, i):
		e.Stage = audit.StageResponseStarted
		i += litStarted.size
	default:
		return 0
	}
	if e.URI, i = f.view(b, i); !litVerb.at(b, i) {
		return 0
	}
	if e.Verb, i = f.verb(b, i+litVerb.size-1); !litUser.at(b, i) {
		return 0
	}
	return i + litUser.size - 1
}

// verbs are the usual ones, with their quotes: the most frequent ones first.
var verbs = func() (all [7]struct {
	hint
	sym audit.Sym
},
) {
	for i, sym := range [len(all)]audit.Sym{
		audit.VerbGet, audit.VerbUpdate, audit.VerbWatch, audit.VerbPatch, audit.VerbList, audit.VerbCreate, audit.VerbDelete,
	} {
		all[i].hint, all[i].sym = newHint(`"`+sym.String()+`"`), sym
	}
	return all
}()

// verb reads the text at i as a verb.
func (f *fast) verb(b []byte, i int) (audit.Sym, int) {
	if len(b)-i >= 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		for k := range verbs {
			if v := &verbs[k]; w&v.mask == v.word && v.follows(b, i) {
				return v.sym, i + v.size
			}
		}
	}
	return f.sym(b, i)
}

// rest reads the members that follow the opening, as far as they are the usual
// ones in the usual order. It returns what comma does after the last of them,
// and which member may be next.
func (f *fast) rest(b []byte, i int, e *audit.Event) (after int, more bool, next int) {
	next, more = keyObjectRef, true
	for k := range usual {
		u := &usual[k]
		if !u.at(b, i) {
			if u.id == keyReceived {
				break // of what stands between, bodies for example, knows decode
			}
			continue
		}
		if i = f.field(b, i+u.size, u.id, e); i < 0 {
			return -1, false, next
		}
		next = u.id + 1
		if i, more = comma(b, i, '}'); !more {
			break
		}
	}
	return i, more, next
}

// usual are the members of most events after the opening.
var usual = [...]struct {
	lit
	id int
}{
	{literal(`"objectRef":`), keyObjectRef},
	{literal(`"responseStatus":`), keyStatus},
	{literal(`"requestReceivedTimestamp":`), keyReceived},
	{literal(`"stageTimestamp":`), keyAt},
	{literal(`"annotations":`), keyAnnotations},
}

// object reads an object's reference, by the short cut or without.
func (f *fast) object(b []byte, i int, e *audit.Event) int {
	if after := f.usualObject(b, i, e); after > 0 {
		return after
	}
	e.Resource, e.Subresource, e.Namespace, e.Name = audit.Sym{}, audit.Sym{}, audit.Sym{}, nil
	e.Group, e.Version, e.ObjectRV = audit.Sym{}, audit.Sym{}, nil
	return f.members(b, i, objectKeys, e, (*fast).objectField)
}

// v1 is the version of most objects.
var v1 = audit.Intern("v1")

var (
	litResource    = literal(`{"resource":"`)
	litNamespace   = literal(`,"namespace":"`)
	litName        = literal(`,"name":"`)
	litUID         = literal(`,"uid":"`)
	litGroup       = literal(`,"apiGroup":"`)
	litV1          = literal(`,"apiVersion":"v1"`)
	litVersion     = literal(`,"apiVersion":"`)
	litRV          = literal(`,"resourceVersion":"`)
	litSubresource = literal(`,"subresource":"`)
)

func (f *fast) usualObject(b []byte, i int, e *audit.Event) int {
	if !litResource.at(b, i) {
		return 0
	}
	if e.Resource, i = f.sym(b, i+litResource.size-1); litNamespace.at(b, i) {
		e.Namespace, i = f.sym(b, i+litNamespace.size-1)
	}
	if litName.at(b, i) {
		e.Name, i = f.view(b, i+litName.size-1)
	}
	if litUID.at(b, i) {
		i = skipText(b, i+litUID.size-1)
	}
	if litGroup.at(b, i) {
		e.Group, i = f.sym(b, i+litGroup.size-1)
	}
	if litV1.at(b, i) {
		e.Version, i = v1, i+litV1.size
	} else if litVersion.at(b, i) {
		i = f.objectField(b, i+litVersion.size-1, objectVersion, e)
	}
	if litRV.at(b, i) {
		e.ObjectRV, i = f.view(b, i+litRV.size-1)
	}
	if litSubresource.at(b, i) {
		e.Subresource, i = f.sym(b, i+litSubresource.size-1)
	}
	if i < 0 || i >= len(b) || b[i] != '}' {
		return 0
	}
	return i + 1
}

// follows reports whether text stands at i.
func follows(b []byte, i int, text string) bool {
	return i >= 0 && len(b)-i >= len(text) && string(b[i:i+len(text)]) == text
}

// A lit is text of eight bytes or more, made ready to be compared as words.
type lit struct {
	first, last uint64 // the first and the last eight bytes
	middle      string // what stands between
	size        int
}

func literal(text string) lit {
	b := []byte(text)
	l := lit{first: binary.LittleEndian.Uint64(b), last: binary.LittleEndian.Uint64(b[len(b)-8:]), size: len(b)}
	if len(b) > 16 {
		l.middle = text[8 : len(b)-8]
	}
	return l
}

// at reports whether the text stands at i, which may be negative: then not.
func (l *lit) at(b []byte, i int) bool {
	return i >= 0 && len(b)-i >= l.size && binary.LittleEndian.Uint64(b[i:]) == l.first &&
		binary.LittleEndian.Uint64(b[i+l.size-8:]) == l.last && (l.size <= 16 || l.between(b[i:]))
}

func (l *lit) between(b []byte) bool { return string(b[8:l.size-8]) == l.middle }
