// Package timeline tells what happened to an object, to a node, by a user or
// around a finding, in order of time: what "kaudit timeline" prints.
//
//	events -> Picker.Pick -> in order of time -> Teller.Add -> Timeline
package timeline

import (
	"encoding/json"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// An Entry is an event that belongs to a timeline.
type Entry struct {
	Record *query.Record
	Body   json.RawMessage // what was sent, of a change
	After  json.RawMessage // the object after a change, where the log has it

	Proof *Proof // of a line that proves a finding
	Ends  bool   // it begins or ends a mark of the finding

	fold fold
	own  bool // it is a line of an own log, and no request
}

// A Place is where an event stands.
type Place struct {
	Source string
	Offset int64
}

// A Proof says what a line proves.
type Proof struct {
	Finding string // its id; "" is the one that the timeline is about
	Summary string // what the line says
}

// A Picker chooses what belongs to a timeline. Goroutines may share it.
type Picker struct {
	// Subjects are what it is about: an event belongs to it if it belongs to
	// one of them. Without any, all events do.
	Subjects []Subject

	// Beginnings also chooses requests as they begin, not only as they end.
	Beginnings bool

	// Stages chooses all stages of requests.
	Stages bool
	// HTTPLog takes requests of httplog, for logs in which these are all there
	// is: beside audit events they tell of the same requests again.
	HTTPLog bool

	// Proofs are events that belong to it whatever they are about.
	Proofs map[Place]*Proof

	// Ends are the times at which marks of the finding begin and end.
	Ends map[audit.Time]bool
}

// Pick returns what a timeline needs of an event, if it belongs to it.
func (p *Picker) Pick(e *audit.Event) (Entry, bool) {
	var entry Entry
	if p.Proofs != nil {
		entry.Proof = p.Proofs[Place{e.Source, e.Offset}]
	}
	s := p.subject(e)
	if entry.Proof == nil && (s == nil || !p.reads(e) || !p.tells(e)) {
		return Entry{}, false
	}
	if s != nil {
		entry.fold = s.fold()
		entry.Ends = len(p.Ends) > 0 && (p.Ends[e.At] || p.Ends[e.Received])
	}
	entry.Record, entry.own = query.NewRecord(e), e.Origin == audit.OriginLine
	if e.Level >= audit.LevelRequest && e.IsWrite() && e.Code < 400 {
		var bodies struct {
			Request  json.RawMessage `json:"requestObject"`
			Response json.RawMessage `json:"responseObject"`
		}
		if json.Unmarshal(e.Raw, &bodies) == nil {
			entry.Body, entry.After = bodies.Request, bodies.Response
		}
	}
	return entry, true
}

// reads reports whether the event is of a log that the timeline is made of.
func (p *Picker) reads(e *audit.Event) bool {
	return e.Origin == audit.OriginAudit || p.HTTPLog && e.Origin == audit.OriginHTTPLog
}

// subject returns the first subject that the event belongs to.
func (p *Picker) subject(e *audit.Event) *Subject {
	if len(p.Subjects) == 0 {
		return &Subject{}
	}
	for i := range p.Subjects {
		if s := &p.Subjects[i]; s.belongs(e) {
			return s
		}
	}
	return nil
}

// tells reports whether the event is the end of a request, or the beginning of
// a session: of those both matter. A session that is refused has no beginning,
// although it has the stage.
func (p *Picker) tells(e *audit.Event) bool {
	if e.Final() || p.Stages {
		return true
	}
	if e.Stage != audit.StageResponseStarted {
		return p.Beginnings
	}
	session := e.Subresource == audit.SubExec || e.Subresource == audit.SubAttach || e.Subresource == audit.SubPortForward || e.Code == 101
	return (session || p.Beginnings) && e.Code < 400 || e.Code == 401 && e.User == audit.Sym{}
}
