package analysistest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// defaultLog is the log of lines that do not name one.
const defaultLog = "audit.log"

// A request is one line of the shorthand: what a client asked, and how it went.
type request struct {
	columns  [6]string // time, user, verb, resource, object, code
	attrs    map[string]string
	line, n  int // the line of the case, and which repetition of it
	received audit.Time

	verb, path      string
	object          *wireObject // nil outside /api and /apis
	code            int         // 0: never answered
	started, took   time.Duration
	open            bool // never ends
	request, answer json.RawMessage
}

// entries returns the events that the API server writes of the request.
func (r *request) entries() ([]entry, error) {
	for _, parse := range []func() error{r.parseTarget, r.parseCode, r.parseTimes, r.parseBodies, r.parseLevel} {
		if err := parse(); err != nil {
			return nil, err
		}
	}
	stages, err := r.stages()
	if err != nil {
		return nil, err
	}
	log := r.attrs["log"]
	if log == "" {
		log = defaultLog
	}
	selected, err := r.selected()
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, stage := range stages {
		e := r.event(stage)
		raw, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{log, r.line, e.At, raw, selected})
	}
	return entries, nil
}

// selected reports whether the line lies inside of what the user asked for.
func (r *request) selected() (bool, error) {
	switch s := r.attrs["select"]; s {
	case "", "yes":
		return true, nil
	case "no":
		return false, nil
	default:
		return false, fmt.Errorf("select=%s: want yes or no", s)
	}
}

func (r *request) parseLevel() error {
	var level audit.Level
	return level.UnmarshalText([]byte(r.attrs["level"]))
}

func (r *request) parseTarget() error {
	r.verb = r.columns[2]
	resource, object := r.columns[3], r.columns[4]
	if strings.HasPrefix(resource, "/") {
		r.path = resource
		return nil
	}
	o := &wireObject{APIVersion: r.attrs["version"]}
	if o.APIVersion == "" {
		o.APIVersion = "v1"
	}
	resource, o.Subresource, _ = strings.Cut(resource, "/")
	o.Resource, o.APIGroup, _ = strings.Cut(resource, ".")
	if o.Resource == "" || o.Resource == "-" {
		return fmt.Errorf("resource %q: want resource[.group][/subresource], or a path", r.columns[3])
	}
	if object != "-" {
		var inNamespace bool
		if o.Namespace, o.Name, inNamespace = strings.Cut(object, "/"); !inNamespace {
			o.Namespace, o.Name = "", object
		}
	}
	r.path = pathOf(o, r.verb)
	if o.Resource == "namespaces" {
		o.Namespace = o.Name // as the API server's RequestInfo has it
	}
	if rv := r.attrs["rv"]; rv != "" && !reads(r.verb) {
		o.ResourceVersion = rv
	}
	r.object = o
	return nil
}

// pathOf returns the path of a request for o.
func pathOf(o *wireObject, verb string) string {
	path := "/apis/" + o.APIGroup
	if o.APIGroup == "" {
		path = "/api"
	}
	path += "/" + o.APIVersion
	if o.Namespace != "" {
		path += "/namespaces/" + o.Namespace
	}
	path += "/" + o.Resource
	unnamed := isCollection(verb) || verb == "create" && o.Subresource == ""
	if o.Name != "" && !unnamed {
		path += "/" + o.Name
	}
	if o.Subresource != "" {
		path += "/" + o.Subresource
	}
	return path
}

func reads(verb string) bool { return verb == "get" || verb == "list" || verb == "watch" }
func isCollection(verb string) bool {
	return verb == "list" || verb == "watch" || verb == "deletecollection"
}

func (r *request) parseCode() error {
	if r.columns[5] == "-" {
		return nil
	}
	code, err := strconv.Atoi(r.columns[5])
	if err != nil || code < 100 || code > 599 {
		return fmt.Errorf("code %q: want an HTTP status, or -", r.columns[5])
	}
	r.code = code
	return nil
}

func (r *request) parseTimes() (err error) {
	r.took = 5 * time.Millisecond
	switch dur := r.attrs["dur"]; {
	case dur == "open":
		r.open = true
	case dur != "":
		if r.took, err = time.ParseDuration(dur); err != nil {
			return fmt.Errorf("dur: %w", err)
		}
	case r.longRunning() && r.code != 0 && r.code < 400:
		return fmt.Errorf("a long-running request must say how long it lived: dur=7s, or dur=open")
	}
	r.started = min(time.Millisecond, r.took)
	if s := r.attrs["started"]; s != "" {
		if r.started, err = time.ParseDuration(s); err != nil {
			return fmt.Errorf("started: %w", err)
		}
	}
	return nil
}

// longRunning asks the record's own question, so that there is one answer.
func (r *request) longRunning() bool {
	e := audit.Event{Verb: audit.Intern(r.verb), URI: audit.View(r.path)}
	if r.object != nil {
		e.Resource, e.Subresource = audit.Intern(r.object.Resource), audit.Intern(r.object.Subresource)
	}
	return e.LongRunning()
}

func (r *request) parseBodies() error {
	for key, body := range map[string]*json.RawMessage{"request": &r.request, "response": &r.answer} {
		text := r.attrs[key]
		if text == "" {
			continue
		}
		if !json.Valid([]byte(text)) {
			return fmt.Errorf("%s=%s is not JSON", key, text)
		}
		*body = json.RawMessage(text)
	}
	return nil
}

// stages returns the stages that are in the log, in their order.
func (r *request) stages() ([]audit.Stage, error) {
	stages := []audit.Stage{audit.StageRequestReceived}
	switch {
	case r.code == http.StatusUnauthorized:
		stages = []audit.Stage{audit.StageResponseStarted}
	case r.code == http.StatusBadRequest && strings.HasPrefix(r.attrs["query"], "timeout=") && !r.longRunning():
		stages = append(stages, audit.StageResponseStarted) // there is no such time
	case r.code != 0:
		if r.longRunning() {
			stages = append(stages, audit.StageResponseStarted)
		}
		switch {
		case r.open:
		case r.attrs["panic"] != "":
			stages = append(stages, audit.StagePanic)
		default:
			stages = append(stages, audit.StageResponseComplete)
		}
	}
	for key, keep := range map[string]bool{"stage": true, "omit": false} {
		names := r.attrs[key]
		if names == "" {
			continue
		}
		var listed []audit.Stage
		for name := range strings.SplitSeq(names, ",") {
			var stage audit.Stage
			if err := stage.UnmarshalText([]byte(name)); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			listed = append(listed, stage)
		}
		stages = slices.DeleteFunc(stages, func(s audit.Stage) bool { return slices.Contains(listed, s) != keep })
	}
	return stages, nil
}

// event returns the request's event of this stage.
func (r *request) event(stage audit.Stage) *wireEvent {
	e := &wireEvent{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: r.level(), AuditID: r.id(), Stage: stage,
		RequestURI: r.uri(), Verb: r.verb, User: r.user(), SourceIPs: []string{"10.0.0.1"}, UserAgent: "client/v1",
		Received: r.received, At: r.received,
	}
	if as := r.attrs["as"]; as != "" {
		user := userOf(as)
		e.ImpersonatedUser = &user
	}
	if ips := r.attrs["ip"]; ips != "" {
		e.SourceIPs = strings.Split(ips, ",")
	}
	if ua, ok := r.attrs["ua"]; ok {
		e.UserAgent = strings.TrimPrefix(ua, "-")
	}
	if r.object != nil {
		o := *r.object
		if stage == audit.StageRequestReceived && r.verb == "create" && o.Subresource == "" {
			o.Name = ""
		}
		e.ObjectRef = &o
	}
	if stage == audit.StageRequestReceived {
		return e
	}
	e.At = r.received.Add(r.took)
	if stage == audit.StageResponseStarted {
		e.At = r.received.Add(r.started)
	} else {
		e.RequestObject, e.ResponseObject = r.request, r.answer
	}
	e.ResponseStatus, e.Annotations = r.status(stage), r.annotations()
	return e
}
