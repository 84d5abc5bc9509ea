package parser

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// userKeys, objectKeys and statusKeys are in the API server's order, as are
// eventKeys.
var (
	userKeys   = hints("username", "uid", "groups", "extra")
	objectKeys = hints("resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource")
	statusKeys = hints("metadata", "status", "message", "reason", "details", "code", "kind", "apiVersion")
)

// The keys of a user, an object reference and a status, in these orders.
const (
	userName = iota
	userUID
	userGroups
	userExtra
)

const (
	objectResource = iota
	objectNamespace
	objectName
	objectUID
	objectGroup
	objectVersion
	objectRV
	objectSubresource
)

const (
	statusMetadata = iota
	statusStatus
	statusMessage
	statusReason
	statusDetails
	statusCode
	statusKind
	statusVersion
)

// members reads the object at i, or null: value reads the member whose index
// in keys is id. Unknown members are skipped; equal keys make fast unsure.
//
// Note: value is no closure made for the call, or each call would allocate.
func (f *fast) members(b []byte, i int, keys hintTable, e *audit.Event, value func(f *fast, b []byte, i, id int, e *audit.Event) int) int {
	if i, ok := null(b, space(b, i)); ok {
		return i
	}
	i, empty := enter(b, i, '{', '}')
	seen, next := uint(0), 0
	for more := !empty; more && i >= 0; {
		var id int
		if id, i = keys.match(b, i, next); i < 0 {
			return -1
		}
		if id < 0 {
			i = skip(b, i)
		} else {
			if seen&(1<<id) != 0 {
				return -1
			}
			seen |= 1 << id
			next = id + 1
			i = value(f, b, i, id, e)
		}
		if i < 0 {
			return -1
		}
		i, more = comma(b, i, '}')
	}
	return i
}

func (f *fast) userField(b []byte, i, id int, e *audit.Event) int {
	switch id {
	case userName:
		e.User, i = f.sym(b, i)
	case userUID:
		i = skipText(b, i)
	case userGroups:
		e.Groups, i = f.symList(b, i, e.Groups)
	case userExtra:
		i = skipObject(b, i, extraValue)
	}
	return i
}

// asField reads an impersonated user, of whom an Event has the name alone.
func (f *fast) asField(b []byte, i, id int, e *audit.Event) int {
	switch id {
	case userName:
		e.As, i = f.sym(b, i)
	case userUID:
		i = skipText(b, i)
	case userGroups:
		i = skipList(b, i, skipText)
	case userExtra:
		i = skipObject(b, i, extraValue)
	}
	return i
}

func extraValue(_, b []byte, i int) int { return skipList(b, i, skipText) }

func (f *fast) objectField(b []byte, i, id int, e *audit.Event) int {
	switch id {
	case objectResource:
		e.Resource, i = f.sym(b, i)
	case objectNamespace:
		e.Namespace, i = f.sym(b, i)
	case objectName:
		e.Name, i = f.view(b, i)
	case objectUID:
		i = skipText(b, i)
	case objectGroup:
		e.Group, i = f.sym(b, i)
	case objectVersion:
		// What has a slash is group and version in one, which is old.
		start := i
		if e.Version, i = f.sym(b, i); i > 0 && bytes.IndexByte(b[start:i], '/') >= 0 {
			return -1
		}
	case objectRV:
		e.ObjectRV, i = f.view(b, i)
	case objectSubresource:
		e.Subresource, i = f.sym(b, i)
	}
	return i
}

// success is how the status of most answers looks, up to its code.
const success = `{"metadata":{},"code":`

func (f *fast) status(b []byte, i int, e *audit.Event) int {
	if after := i + len(success); len(b) > after && string(b[i:after]) == success {
		n, after := int32Value(b, after)
		if after > 0 && after < len(b) && b[after] == '}' {
			e.Code = n
			return after + 1
		}
	}
	return f.members(b, i, statusKeys, e, (*fast).statusField)
}

func (f *fast) statusField(b []byte, i, id int, e *audit.Event) int {
	switch id {
	case statusMetadata:
		i = skipObject(b, i, listMetaField)
	case statusStatus, statusKind, statusVersion:
		i = skipText(b, i)
	case statusMessage:
		e.Message, i = f.view(b, i)
	case statusReason:
		e.Reason, i = f.sym(b, i)
	case statusDetails:
		i = skipObject(b, i, detailsField)
	case statusCode:
		e.Code, i = int32Value(b, i)
	}
	return i
}

func (f *fast) view(b []byte, i int) (audit.View, int) {
	s, i := f.text(b, i)
	return s, i
}

// annotations reads the annotations, which are in order of key: encoding/json
// sorts maps, as do shippers. Others are left to reference.
func (f *fast) annotations(b []byte, i int, e *audit.Event) int {
	if after := f.recall(b, i, e); after > 0 {
		return after
	}
	start := i
	if i, ok := null(b, space(b, i)); ok {
		return i
	}
	i, empty := enter(b, i, '{', '}')
	var last []byte
	for more := !empty; more && i >= 0; {
		key, at := f.key(b, i)
		if at < 0 || len(e.Annotations) > 0 && bytes.Compare(last, key) >= 0 {
			return -1
		}
		var value audit.View
		if value, i = f.view(b, at); i < 0 {
			return -1
		}
		e.Annotations = append(e.Annotations, audit.Annotation{Key: f.syms.Bytes(key), Value: value})
		last = key
		i, more = comma(b, i, '}')
	}
	if i > 0 {
		f.notes.keep(b, start, i, e)
	}
	return i
}

// key reads the key of a map at i and its colon.
func (f *fast) key(b []byte, i int) (key []byte, after int) {
	if i >= len(b) || b[i] != '"' {
		return nil, -1
	}
	if key, i = f.text(b, i); i < 0 {
		return nil, -1
	}
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return nil, -1
	}
	return key, i + 1
}
