package parser

import "github.com/kaudit/kaudit/audit"

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
	if i = f.client(b, i, e); !follows(b, i, ",") {
		return 0
	}
	return i + 1
}

// request reads from the level to the key of the user.
func (f *fast) request(b []byte, i int, e *audit.Event) int {
	switch {
	case follows(b, i, `"level":"Metadata","auditID":"`):
		e.Level = audit.LevelMetadata
		i += len(`"level":"Metadata","auditID":"`)
	case follows(b, i, `"level":"RequestResponse","auditID":"`):
		e.Level = audit.LevelRequestResponse
		i += len(`"level":"RequestResponse","auditID":"`)
	case follows(b, i, `"level":"Request","auditID":"`):
		e.Level = audit.LevelRequest
		i += len(`"level":"Request","auditID":"`)
	default:
		return 0
	}
	end := special(b, i)
	if !follows(b, end, `","stage":"Re`) {
		return 0
	}
	e.AuditID = b[i:end:end]
	switch i = end + len(`","stage":"`); {
	case follows(b, i, `ResponseComplete","requestURI":`):
		e.Stage = audit.StageResponseComplete
		i += len(`ResponseComplete","requestURI":`)
	case follows(b, i, `RequestReceived","requestURI":`):
		e.Stage = audit.StageRequestReceived
		i += len(`RequestReceived","requestURI":`)
	case follows(b, i, `ResponseStarted","requestURI":`):
		e.Stage = audit.StageResponseStarted
		i += len(`ResponseStarted","requestURI":`)
	default:
		return 0
	}
	if e.URI, i = f.view(b, i); !follows(b, i, `,"verb":`) {
		return 0
	}
	if e.Verb, i = f.sym(b, i+len(`,"verb":`)); !follows(b, i, `,"user":{`) {
		return 0
	}
	return i + len(`,"user":`)
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

func (f *fast) usualObject(b []byte, i int, e *audit.Event) int {
	if !follows(b, i, `{"resource":"`) {
		return 0
	}
	if e.Resource, i = f.sym(b, i+len(`{"resource":`)); follows(b, i, `,"namespace":"`) {
		e.Namespace, i = f.sym(b, i+len(`,"namespace":`))
	}
	if follows(b, i, `,"name":"`) {
		e.Name, i = f.view(b, i+len(`,"name":`))
	}
	if follows(b, i, `,"uid":"`) {
		i = skipText(b, i+len(`,"uid":`))
	}
	if follows(b, i, `,"apiGroup":"`) {
		e.Group, i = f.sym(b, i+len(`,"apiGroup":`))
	}
	if follows(b, i, `,"apiVersion":"v1"`) {
		e.Version, i = v1, i+len(`,"apiVersion":"v1"`)
	} else if follows(b, i, `,"apiVersion":"`) {
		i = f.objectField(b, i+len(`,"apiVersion":`), objectVersion, e)
	}
	if follows(b, i, `,"resourceVersion":"`) {
		e.ObjectRV, i = f.view(b, i+len(`,"resourceVersion":`))
	}
	if follows(b, i, `,"subresource":"`) {
		e.Subresource, i = f.sym(b, i+len(`,"subresource":`))
	}
	if !follows(b, i, "}") {
		return 0
	}
	return i + 1
}

// follows reports whether text stands at i.
func follows(b []byte, i int, text string) bool {
	return i >= 0 && len(b)-i >= len(text) && string(b[i:i+len(text)]) == text
}
