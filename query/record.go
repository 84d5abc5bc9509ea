package query

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Record is a copy of what may be kept and shown of an event. It leaves out
// what may hold a secret. Its text comes from the log, so it must be cleaned
// before it goes to a terminal or a page.
type Record struct {
	Time     audit.Time `json:"time"`           // stageTimestamp
	Received audit.Time `json:"received"`       // requestReceivedTimestamp; 0 (null in JSON) where the log has none
	Latency  *float64   `json:"latencySeconds"` // null unless the request has ended
	Stage    string     `json:"stage"`
	Level    string     `json:"level"`

	Verb    string `json:"verb"`
	Code    int    `json:"code,omitempty"` // 0 if the event has none
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	User      string `json:"user"`
	As        string `json:"as,omitempty"` // whom the user impersonated
	UserAgent string `json:"userAgent,omitempty"`
	SourceIP  string `json:"sourceIP,omitempty"` // the last address: a client can forge those before it

	APIGroup    string `json:"apiGroup,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	Path        string `json:"path"`          // of the URI
	Ask         string `json:"ask,omitempty"` // the parameters of the URI that can't hold a secret, decoded

	AuditID string `json:"auditID"` // the same on all stages of a request
	Source  string `json:"source"`
	Line    int    `json:"line"` // from 1

	offset int64
}

// NewRecord returns the record of e.
func NewRecord(e *audit.Event) *Record {
	r := &Record{
		Time: e.At, Received: e.Received, Stage: e.Stage.String(), Level: e.Level.String(),
		Verb: e.Verb.String(), Code: e.Code, Reason: e.Reason.String(), Message: e.Message.String(),
		User: e.User.String(), As: e.As.String(), UserAgent: e.UserAgent.String(), SourceIP: e.ClientIP().String(),
		APIGroup: e.Group.String(), Resource: e.Resource.String(), Subresource: e.Subresource.String(),
		Namespace: e.Namespace.String(), Name: e.Name.String(),
		AuditID: e.AuditID.String(), Source: e.Source, Line: e.Line + 1, offset: e.Offset,
	}
	if took, ok := e.Latency(); ok {
		s := took.Seconds()
		r.Latency = &s
	}
	path, query, _ := strings.Cut(e.URI.String(), "?")
	r.Path, r.Ask = path, ask(query)
	return r
}

// Compare orders records by time, then by place. No two events of a log are equal.
func (r *Record) Compare(o *Record) int {
	return cmp.Or(
		cmp.Compare(r.Time, o.Time), strings.Compare(r.Source, o.Source),
		cmp.Compare(r.offset, o.offset), strings.Compare(r.AuditID, o.AuditID),
	)
}

// Began returns when the request was received.
func (r *Record) Began() audit.Time {
	if r.Received != 0 {
		return r.Received
	}
	return r.Time
}

// asks are the parameters of a URI that are kept. Others may hold commands and
// tokens.
var asks = [...]string{
	"resourceVersion", "resourceVersionMatch", "limit", "labelSelector", "fieldSelector", "sendInitialEvents",
	"dryRun", "gracePeriodSeconds", "propagationPolicy", "timeoutSeconds", "timeout", "follow",
}

// ask returns the parameters of a query that are kept, decoded.
func ask(query string) string {
	if query == "" {
		return ""
	}
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(asks[:], name) {
			continue
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		kept = append(kept, name+"="+value)
	}
	return strings.Join(kept, "&")
}

// Took returns how long the request took; ok is false if it has not ended.
func (r *Record) Took() (d time.Duration, ok bool) {
	if r.Latency == nil {
		return 0, false
	}
	return time.Duration(*r.Latency * float64(time.Second)), true
}

// Object names what the request was for: "shop/pods/web-0/exec", "nodes/n1",
// "/healthz".
func (r *Record) Object() string {
	if r.Resource == "" {
		return r.Path
	}
	text := r.Resource
	if r.APIGroup != "" {
		text += "." + r.APIGroup
	}
	if r.Namespace != "" && r.Resource != "namespaces" { // events about a namespace name it as its own namespace
		text = r.Namespace + "/" + text
	}
	if r.Name != "" {
		text += "/" + r.Name
	}
	if r.Subresource != "" {
		text += "/" + r.Subresource
	}
	return text
}

// actor names who sent the request, and as whom.
func (r *Record) actor() string {
	switch {
	case r.User == "" && r.As == "":
		return "(no user)"
	case r.As == "":
		return r.User
	}
	return r.User + " as " + r.As
}

// Client names who sent the request: user, first word of the user agent, address.
func (r *Record) Client() string {
	text := r.actor()
	if agent, _, _ := strings.Cut(r.UserAgent, " "); agent != "" {
		text += " (" + agent + ")"
	}
	if r.SourceIP != "" {
		text += " " + r.SourceIP
	}
	return text
}
