package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// An event is a line of the log, with its fields in the API server's order.
type event struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Level      string            `json:"level"`
	AuditID    string            `json:"auditID"`
	Stage      string            `json:"stage"`
	URI        string            `json:"requestURI"`
	Verb       string            `json:"verb"`
	User       user              `json:"user"`
	SourceIPs  []string          `json:"sourceIPs"`
	UserAgent  string            `json:"userAgent"`
	Object     *object           `json:"objectRef,omitempty"`
	Status     *status           `json:"responseStatus,omitempty"`
	Received   stamp             `json:"requestReceivedTimestamp"`
	At         stamp             `json:"stageTimestamp"`
	Annotation map[string]string `json:"annotations,omitempty"`
}

type user struct {
	Name   string   `json:"username"`
	Groups []string `json:"groups"`
}

type object struct {
	Resource    string `json:"resource"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	APIGroup    string `json:"apiGroup,omitempty"`
	APIVersion  string `json:"apiVersion"`
	Subresource string `json:"subresource,omitempty"`
}

type status struct {
	Metadata struct{} `json:"metadata"`
	Code     int      `json:"code"`
	Message  string   `json:"message,omitempty"`
}

type stamp struct{ time.Time }

// MarshalJSON writes microseconds, as the API server does.
func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(s.UTC().Format(`"2006-01-02T15:04:05.000000Z"`)), nil
}

// A client is who makes requests.
type client struct{ name, agent, ip string }

// A world is the cluster whose API server writes the log.
type world struct {
	rand   *rand.Rand
	events []event
}

// start is when the log begins, and length how long it is.
var start = time.Date(2026, time.March, 12, 14, 30, 0, 0, time.UTC)

const length = 15 * time.Minute

// log returns the lines of the log.
func log() ([]byte, error) {
	w := &world{rand: rand.New(rand.NewPCG(14, 30))}
	w.healthy()
	w.stuck()
	w.silent()
	w.crowd()
	w.people()
	slices.SortStableFunc(w.events, func(a, b event) int { return a.At.Compare(b.At.Time) })
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for i := range w.events {
		if at := w.events[i].At.Sub(start); at < 0 || at > length {
			continue
		}
		if err := e.Encode(&w.events[i]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// around returns d, give or take a tenth.
func (w *world) around(d time.Duration) time.Duration {
	return d*9/10 + time.Duration(w.rand.Int64N(int64(d)/5+1))
}

// every calls do at times that are about d apart.
func (w *world) every(d time.Duration, do func(at time.Duration)) {
	for at := time.Duration(w.rand.Int64N(int64(d))); at < length; at += w.around(d) {
		do(at)
	}
}

// call is a request that is answered after a few milliseconds.
func (w *world) call(at time.Duration, c client, verb string, o object, code int) {
	w.take(at, w.around(6*time.Millisecond), c, verb, o, "", code)
}

// take is a request that takes a while. query stands behind the path.
func (w *world) take(at, took time.Duration, c client, verb string, o object, query string, code int) {
	e := w.begin(at, c, verb, o, query)
	e.At = stamp{start.Add(at + took)}
	e.Status = &status{Code: code}
	w.events = append(w.events, e)
}

// stream is a request whose answer begins at once and lasts: a watch, a
// session.
func (w *world) stream(at, lasts time.Duration, c client, verb string, o object, query string, code int) {
	e := w.begin(at, c, verb, o, query)
	e.Status = &status{Code: code}
	begun := e
	begun.Stage, begun.At = "ResponseStarted", stamp{start.Add(at + w.around(2*time.Millisecond))}
	e.At = stamp{start.Add(at + lasts)}
	w.events = append(w.events, begun, e)
}

func (w *world) begin(at time.Duration, c client, verb string, o object, query string) event {
	o.APIVersion = "v1"
	groups := []string{"system:authenticated"}
	if strings.HasPrefix(c.name, "system:node:") {
		groups = append([]string{"system:nodes"}, groups...)
	}
	return event{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: "Metadata", AuditID: w.id(), Stage: "ResponseComplete",
		URI: path(verb, o) + query, Verb: verb, User: user{c.name, groups}, SourceIPs: []string{c.ip}, UserAgent: c.agent,
		Object: &o, Received: stamp{start.Add(at)},
		Annotation: map[string]string{"authorization.k8s.io/decision": "allow"},
	}
}

func (w *world) id() string {
	a, b := w.rand.Uint64(), w.rand.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// path is the path of a request's URI. Creates and lists have no name in it.
func path(verb string, o object) string {
	parts := []string{"/api/v1"}
	if o.APIGroup != "" {
		parts[0] = "/apis/" + o.APIGroup + "/v1"
	}
	if o.Namespace != "" {
		parts = append(parts, "namespaces", o.Namespace)
	}
	parts = append(parts, o.Resource)
	if o.Name != "" && (verb != "create" || o.Subresource != "") {
		parts = append(parts, o.Name)
	}
	if o.Subresource != "" {
		parts = append(parts, o.Subresource)
	}
	return strings.Join(parts, "/")
}
