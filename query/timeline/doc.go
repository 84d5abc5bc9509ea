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
	Body   json.RawMessage // of a change: what the client sent; nil if the log has no body
	After  json.RawMessage // of a change: the object afterwards; nil if the log has no body

	Proof *Proof // what the event proves of a finding, or nil
	Ends  bool   // a mark of the finding begins or ends with it

	fold fold
	log  string // whose event it is
	own  bool   // it is a line of an API server's or kubelet's own log, not a request
}

// A Place is where an event stands.
type Place struct {
	Source string
	Offset int64
}

// A Proof says which finding an event is evidence of.
type Proof struct {
	Finding string // the finding's ID; "" for the one that the timeline is about
	Summary string // of the evidence
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

	// HTTPLog also chooses requests of httplog. It is for logs without audit
	// events: beside these, httplog tells of the same requests again.
	HTTPLog bool

	// Proofs are the events, by place, that belong to it whatever they are about.
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
	entry.log = e.Log
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

// reads reports whether events of this origin make up the timeline.
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

// tells reports whether the event's stage is told: the end of a request, and of a
// session the beginning as well. A session that was refused never began, although
// it has that stage.
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
