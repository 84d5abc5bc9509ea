// Package authfailure finds bursts of requests that were refused because the
// API server does not know the client (401) or does not allow it what it asks
// for (403).
//
// A state holds the refusals of one address (401), of one program at one address (401) or
// of one client (403). Facts about writes of pods tell whether a node was forbidden what
// had only just been created.
package authfailure

import (
	"bytes"
	_ "embed"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optFailures = "failures"
	optWindow   = "window"
	optLeast    = "least"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "auth-failure",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optFailures, Default: 20, Unit: "requests", Doc: "The fewest refused requests within the window that make a burst: people mistype, and a client whose token expired reads it again after a few tries."},
			{Name: optWindow, Default: 5 * time.Minute, Least: time.Minute, Doc: "The window in which they are counted: longer than the minute after which projected tokens are read again."},
			{Name: optLeast, Default: 10, Unit: "requests", Doc: "The fewest refused requests within the window to report at all, for information: half a burst."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Parts: []analysis.Part{
			{Stages: []audit.Stage{audit.StageResponseStarted}, Unseen: "failed authentication (401), which has no other stage, leaves no trace"},
			{Stages: []audit.Stage{audit.StageResponseComplete}, Unseen: "what was forbidden (403) leaves no trace"},
			{Sees: analysis.Reads, Unseen: "refused reads leave no trace"},
		}},
		Wants: []audit.Class{
			audit.Class401 | audit.ClassStarted | audit.ClassComplete | audit.ClassPanic,
			audit.Class403 | audit.ClassComplete | audit.ClassPanic,
		},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// The kinds of states and of findings: details.kind.
var (
	kindUnauthenticated = audit.Intern("unauthenticated")
	kindForbidden       = audit.Intern("forbidden")
	kindNode            = audit.Intern("node")
	kindAdmission       = audit.Intern("admission")

	// One program at one address, which may be too few to report by itself. No finding has
	// this kind: see spread.go.
	kindProgram = audit.Intern("program")
)

// keys takes refusals. A failed authentication is logged as ResponseStarted only, but one
// that a server behind a proxy refuses ends like any other request.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	switch {
	case e.Code == 401:
		keys = append(keys, analysis.Key{Kind: kindUnauthenticated, User: e.Actor(), SourceIP: e.ClientIP()})
		if e.Actor() == (audit.Sym{}) && e.UserAgent != (audit.Sym{}) {
			keys = append(keys, analysis.Key{Kind: kindProgram, UserAgent: e.UserAgent, SourceIP: e.ClientIP()})
		}
		return keys
	case unrelated(e):
		return append(keys, analysis.Key{Kind: kindNode, User: e.Actor(), Namespace: e.Namespace})
	case bytes.Contains(e.Message, terminating):
		return keys
	case notAdmitted(e):
		return append(keys, analysis.Key{Kind: kindAdmission, User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP(), Namespace: e.Namespace})
	}
	return append(keys, analysis.Key{Kind: kindForbidden, User: e.Actor(), UserAgent: e.UserAgent, SourceIP: e.ClientIP()})
}

var (
	decision  = audit.Intern("authorization.k8s.io/decision")
	allow     = []byte("allow")
	groupRBAC = audit.Intern("rbac.authorization.k8s.io")

	// What the API server says of a namespace that is being deleted: its controllers
	// go on to create there until they see it (apiserver
	// pkg/admission/plugin/namespace/lifecycle).
	terminating = []byte("because it is being terminated")
	cannot      = []byte(" cannot ") // an authorizer's words
)

// notAdmitted reports whether a write that was authorized was refused all the same: by a
// quota, a policy or a webhook. It leaves out roles that grant more than their writer has,
// which RBAC refuses, and what the authorizer of a kubelet or of another API server
// refused behind this one.
func notAdmitted(e *audit.Event) bool {
	return e.IsWrite() && !e.LongRunning() && e.Group != groupRBAC &&
		bytes.Equal(e.Annotation(decision), allow) && !bytes.Contains(e.Message, cannot)
}

var (
	reason       = audit.Intern("authorization.k8s.io/reason")
	noRelation   = []byte("no relationship found between node")
	subToken     = audit.Intern("token")
	resourcePods = audit.Intern("pods")
)

// unrelated reports whether a node was refused an object that, as far as the API server
// knows yet, does not belong to it. The node authorizer says so, or the request is for a pod
// or a pod's token, which are refused for this reason only.
func unrelated(e *audit.Event) bool {
	if !strings.HasPrefix(e.Actor().String(), audit.NodePrefix) {
		return false
	}
	return bytes.Contains(e.Annotation(reason), noRelation) || bytes.Contains(e.Message, noRelation) ||
		e.Verb == audit.VerbGet && e.Resource == resourcePods || e.Subresource == subToken
}
