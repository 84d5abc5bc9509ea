package parser

import "github.com/kaudit/kaudit/audit"

// A column says which field of an event a column of a table holds.
type column struct {
	field string
	kind  columnKind
}

type columnKind uint8

const (
	asText   columnKind = iota // a string
	asStamp                    // a time in any form
	asObject                   // an object, or a string that holds one
	asList                     // an array, or a string that holds one or its only element
)

// aksColumns are those of the tables AKSAudit and AKSAuditAdmin.
var aksColumns = map[string]column{
	"Level": {"level", asText}, "AuditId": {"auditID", asText}, "Stage": {"stage", asText}, "RequestUri": {"requestURI", asText},
	"Verb": {"verb", asText}, "User": {"user", asObject}, "SourceIps": {"sourceIPs", asList}, "UserAgent": {"userAgent", asText},
	"ObjectRef": {"objectRef", asObject}, "ResponseStatus": {"responseStatus", asObject}, "RequestObject": {"requestObject", asObject},
	"ResponseObject": {"responseObject", asObject}, "RequestReceivedTime": {"requestReceivedTimestamp", asStamp},
	"StageReceivedTime": {"stageTimestamp", asStamp}, "Annotations": {"annotations", asObject},
}

// slsColumns are those of a row of Alibaba Cloud's Log Service: an event's own
// keys, with objects as strings.
var slsColumns = map[string]column{
	"level": {"level", asText}, "auditID": {"auditID", asText}, "stage": {"stage", asText}, "requestURI": {"requestURI", asText},
	"verb": {"verb", asText}, "user": {"user", asObject}, "impersonatedUser": {"impersonatedUser", asObject}, "sourceIPs": {"sourceIPs", asList},
	"userAgent": {"userAgent", asText}, "objectRef": {"objectRef", asObject}, "responseStatus": {"responseStatus", asObject},
	"requestObject": {"requestObject", asObject}, "responseObject": {"responseObject", asObject}, "requestReceivedTimestamp": {"requestReceivedTimestamp", asStamp},
	"stageTimestamp": {"stageTimestamp", asStamp}, "annotations": {"annotations", asObject},
}

// openAKSRow opens a row of AKSAudit.
func openAKSRow(d *Decoder, t text, _ place) bool {
	d.holdRow(t, aksColumns)
	return true
}

// openSLSRow opens a row of the Log Service. What has an object as its user, not
// a string, is an event.
func openSLSRow(d *Decoder, t text, user place) bool {
	if t.data[user.start] != '"' || isOwnRecord(t.data[:min(len(t.data), 4096)]) {
		return false
	}
	d.holdRow(t, slsColumns)
	return true
}

// holdRow holds the event that a row tells in columns.
func (d *Decoder) holdRow(t text, columns map[string]column) {
	from := len(d.arena)
	d.arena = append(d.arena, head[:len(head)-1]...)
	for key, at := range membersOf(t.data, 0) {
		if c, ok := columns[string(key)]; ok {
			d.addColumn(c, t.data[at.start:at.end])
		}
	}
	d.arena = append(d.arena, '}')
	d.hold(t.holding(d.arena[from:len(d.arena):len(d.arena)], 0))
}

// addColumn adds a column to the event in the arena. It leaves out a value of
// another kind, such as the text that Azure writes in place of a large body.
func (d *Decoder) addColumn(c column, value []byte) {
	from := len(d.arena)
	d.arena = append(append(append(d.arena, `,"`...), c.field...), `":`...)
	start := len(d.arena)
	inner := value
	if value[0] == '"' && c.kind != asText {
		if d.arena, _ = unescape(d.arena, value[1:len(value)-1]); len(d.arena) > start {
			inner = append([]byte(nil), d.arena[start:]...)
		}
		d.arena = d.arena[:start]
	}
	ok := true
	switch c.kind {
	case asText:
		ok = value[0] == '"'
	case asStamp:
		var at audit.Time
		at, ok = parseStamp(inner), true
		inner = []byte(`"` + at.String() + `"`)
		ok = at != 0
	case asObject:
		ok = inner[0] == '{'
	case asList:
		if inner[0] != '[' {
			inner = append(append([]byte{'['}, value...), ']')
			ok = value[0] == '"'
		}
	}
	if !ok {
		d.arena = d.arena[:from]
		return
	}
	d.arena = append(d.arena, inner...)
}

// membersOf yields the keys of the object at i, as they stand between their
// quotes, and where their values are.
func membersOf(b []byte, i int) func(yield func([]byte, place) bool) {
	return func(yield func([]byte, place) bool) {
		i, empty := enter(b, i, '{', '}')
		for more := !empty && i >= 0; more; {
			from := i + 1
			after := skipKey(b, i)
			if after < 0 {
				return
			}
			start := space(b, after)
			end := skip(b, start)
			if end < 0 || !yield(b[from:special(b, from)], place{start, end}) {
				return
			}
			if i, more = comma(b, end, '}'); i < 0 {
				return
			}
		}
	}
}
