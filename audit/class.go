package audit

import "strings"

// A Class describes an event in one word: it has one bit of each group below.
// Classify works out once per event what many analyzers ask of it.
//
// A Class is also a pattern: no bit of a group leaves that group open, and
// several bits accept any of them (see Holds).
type Class uint64

// The stage of the event.
const (
	ClassStageless Class = 1 << iota // a stage that nobody knows
	ClassReceived
	ClassStarted
	ClassComplete
	ClassPanic
)

// The verb of the request.
const (
	ClassGet Class = 1 << (iota + 5)
	ClassList
	ClassWatch
	ClassCreate
	ClassUpdate
	ClassPatch
	ClassDelete
	ClassDeleteCollection
	ClassOtherVerb // an HTTP method outside /api and /apis, or what a client invents
)

// The code of the answer.
const (
	ClassUnanswered Class = 1 << (iota + 14) // no code
	ClassSwitched                            // 101
	ClassOK                                  // below 400, but for 101
	Class401
	Class403
	Class404
	Class409
	Class410
	Class429
	Class4xx // any other
	Class5xx // 500 and above
)

// What the request was for, and who made it.
const (
	ClassResource    Class = 1 << (iota + 25) // objectRef has a resource
	ClassPath                                 // it has none
	ClassNamed                                // objectRef has a name
	ClassUnnamed                              // it has none
	ClassWhole                                // no subresource
	ClassStatus                               // the subresource status
	ClassStream                               // attach, exec, proxy, log, portforward
	ClassSubresource                          // any other
	ClassNode                                 // a kubelet: a user that is a node
	ClassNoNode                               // anybody else
)

// The answers to questions, each yes or no.
const (
	ClassLong    Class = 1 << (iota + 35) // LongRunning
	ClassShort                            // not
	ClassWrote                            // Wrote
	ClassIdle                             // not
	ClassDated                            // it has a requestReceivedTimestamp
	ClassUndated                          // it has none
	ClassFine                             // its times have microseconds
	ClassCoarse                           // they have whole seconds
)

// What the event was read from: see Origin.
const (
	ClassAudit Class = 1 << (iota + 43)
	ClassHTTPLog
	ClassLine
)

// classGroups are the groups above: an event has one bit of each.
var classGroups = [...]Class{
	ClassGet - 1,
	ClassUnanswered - ClassGet,
	ClassResource - ClassUnanswered,
	ClassResource | ClassPath,
	ClassNamed | ClassUnnamed,
	ClassWhole | ClassStatus | ClassStream | ClassSubresource,
	ClassNode | ClassNoNode,
	ClassLong | ClassShort,
	ClassWrote | ClassIdle,
	ClassDated | ClassUndated,
	ClassFine | ClassCoarse,
	ClassAudit | ClassHTTPLog | ClassLine,
}

// Any returns the pattern c with all bits of the groups that it leaves open
// set. An event's class fits c exactly if all of its bits are set in the
// result.
func (c Class) Any() Class {
	for _, group := range classGroups {
		if c&group == 0 {
			c |= group
		}
	}
	return c
}

// Not returns the pattern that takes, in the groups of which c has bits, all
// the other bits.
func (c Class) Not() Class {
	var others Class
	for _, group := range classGroups {
		if c&group != 0 {
			others |= group &^ c
		}
	}
	return others
}

// Holds reports whether events of class d fit the pattern c.
func (c Class) Holds(d Class) bool { return d&^c.Any() == 0 }

// Classify sets e.Class and, for a list or watch, e.Query, so that later
// questions need not work them out again. Call it again after e has changed. An
// event that was not classified gives the same answers, more slowly.
func (e *Event) Classify() Class {
	e.Class = 0
	e.Query = Query{}
	c := e.kind()
	if c&(ClassWatch|ClassList) != 0 {
		e.Query = parseQuery(e.URI)
	}
	if e.longRunning() {
		c |= ClassLong
	} else {
		c |= ClassShort
	}
	if e.wrote(c) {
		c |= ClassWrote
	} else {
		c |= ClassIdle
	}
	e.Class = c
	return c
}

// kind returns the bits of all groups but those that Classify adds.
func (e *Event) kind() Class {
	c := ClassStageless<<e.Stage | ClassAudit<<e.Origin | classOfVerb(e.Verb) | classOfCode(e.Code) | classOfSub(e.Subresource)
	c |= either(e.Resource != Sym{}, ClassResource, ClassPath)
	c |= either(len(e.Name) > 0, ClassNamed, ClassUnnamed)
	c |= either(strings.HasPrefix(e.User.String(), NodePrefix), ClassNode, ClassNoNode)
	c |= either(e.Received != 0, ClassDated, ClassUndated)
	return c | either(!e.Coarse, ClassFine, ClassCoarse)
}

// NodePrefix is the prefix of the user names of kubelets. See
// https://kubernetes.io/docs/reference/access-authn-authz/node/.
const NodePrefix = "system:node:"

func either(yes bool, a, b Class) Class {
	if yes {
		return a
	}
	return b
}

func classOfVerb(verb Sym) Class {
	switch verb {
	case VerbGet:
		return ClassGet
	case VerbUpdate:
		return ClassUpdate
	case VerbPatch:
		return ClassPatch
	case VerbWatch:
		return ClassWatch
	case VerbList:
		return ClassList
	case VerbCreate:
		return ClassCreate
	case VerbDelete:
		return ClassDelete
	case VerbDeleteCollection:
		return ClassDeleteCollection
	}
	return ClassOtherVerb
}

func classOfCode(code int) Class {
	switch {
	case code == 0:
		return ClassUnanswered
	case code == 101:
		return ClassSwitched
	case code < 400:
		return ClassOK
	case code >= 500:
		return Class5xx
	}
	switch code {
	case 401:
		return Class401
	case 403:
		return Class403
	case 404:
		return Class404
	case 409:
		return Class409
	case 410:
		return Class410
	case 429:
		return Class429
	}
	return Class4xx
}

func classOfSub(sub Sym) Class {
	switch sub {
	case Sym{}:
		return ClassWhole
	case SubStatus:
		return ClassStatus
	case SubAttach, SubExec, SubProxy, SubLog, SubPortForward:
		return ClassStream
	}
	return ClassSubresource
}
