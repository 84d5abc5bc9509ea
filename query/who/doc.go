// Package who answers who did something to an object, and what led to it: a pod
// that the garbage collector deleted because a person had deleted its deployment,
// an eviction in the course of a drain.
//
//	Ask -> a Question
//	events -> a Collector for each worker -> Merge -> Answer
//
// A Collector keeps the deeds done to the object, and those that may have led to
// them: deeds to objects whose names its name begins with, to nodes and namespaces,
// and other deletions. It lives by the law of states (see package analysis): the
// answer does not depend on the order of events. Past its bounds it keeps the
// latest deeds.
package who

import (
	"bytes"
	"errors"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// A Question asks who did something to an object.
type Question struct {
	Deed      string `json:"deed"`      // one of Deeds
	Resource  string `json:"resource"`  // the plural
	APIGroup  string `json:"apiGroup"`  // "" is any
	Namespace string `json:"namespace"` // "" is any
	Name      string `json:"name"`      // may have a *
}

// spoken is the deed as a sentence has it.
func (q *Question) spoken() string {
	if q.Deed == "execed" {
		return "exec'd into"
	}
	return q.Deed
}

// Ask returns the question for a deed and an object as KIND/NAME; namespace may be
// empty. An error is a *query.ValueError.
func Ask(deed, object, namespace string) (*Question, error) {
	q := &Question{Deed: strings.ToLower(deed), Namespace: namespace}
	asked := askFor(q.Deed)
	if strings.HasSuffix(q.Deed, "cordoned") || strings.HasSuffix(q.Deed, "cordon") {
		return nil, &query.ValueError{
			Flag: "deed", Value: deed, Err: errors.New("no request is called so"),
			Advice: "who cordons a node patches it: who changed " + report.ShellWord(object) + " --user '!system:*'",
		}
	}
	if asked == nil {
		return nil, &query.ValueError{
			Flag: "deed", Value: deed, Err: errors.New("it must be " + strings.Join(Deeds(), ", ")), Word: deed, Known: Deeds(),
		}
	}
	q.Deed = asked.deed
	kind, name, ok := strings.Cut(object, "/")
	if !ok || kind == "" || name == "" || strings.Contains(name, "/") {
		advice := "the namespace is told by -n"
		if !ok && !query.IsKind(object) {
			advice = "did you mean pod/" + object + "?"
		}
		return nil, &query.ValueError{
			Flag: "object", Value: object, Err: errors.New("it must have the form KIND/NAME, such as pod/web-0"), Advice: advice,
		}
	}
	kind, q.APIGroup, _ = strings.Cut(kind, ".")
	q.Resource, q.Name = query.Plural(kind), name
	if q.Deed == "evicted" && q.Resource == "nodes" {
		return nil, &query.ValueError{
			Flag: "deed", Value: deed, Err: errors.New("pods are evicted, not nodes"),
			Advice: "who drains a node patches it, then evicts its pods: who changed " + report.ShellWord(object) + " --user '!system:*', who evicted 'pod/*'",
		}
	}
	return q, nil
}

// literal returns the part of the name before its first *.
func (q *Question) literal() string {
	text, _, _ := strings.Cut(q.Name, "*")
	return text
}

// A relation is what an event has to do with a question.
type relation uint8

const (
	unrelated  relation = iota
	done                // the deed that is asked for, done to the object
	maybe               // the same, but it names no object
	touched             // another deed done to the object
	led                 // a deed to another object that may have led to it; see mayLead
	elsewhere           // a deletion of something else in the namespace
	nodeChange          // a write to a node, not by its kubelet
	kin                 // its body may tell the owners of something else in the namespace
)

// relation tells what an event has to do with the question.
func (c *Collector) relation(e *audit.Event) relation {
	if !e.Final() && !c.startsSession(e) && !c.refuses(e) {
		return unrelated
	}
	about := c.object(e)
	switch {
	case about == named && c.asked.is(e):
		return done
	case about == unnamed && c.asked.maybe != nil && c.asked.maybe(e):
		return maybe
	case about == named:
		return touched
	case !e.Wrote():
		return c.ofKin(e)
	case e.Resource == nodes && !strings.HasPrefix(e.User.String(), nodeUser):
		return nodeChange
	case c.mayLead(e):
		return led
	case isDelete(e) && c.inNamespace(e):
		return elsewhere
	}
	return c.ofKin(e)
}

// ofKin returns kin if the event's body may tell owners, else unrelated. The
// garbage collector follows owners, whose names tell nothing.
func (c *Collector) ofKin(e *audit.Event) relation {
	if c.question.Deed == "deleted" && c.inNamespace(e) && tellsOwners(e) {
		return kin
	}
	return unrelated
}

// startsSession reports whether a session that may still be open begins.
func (c *Collector) startsSession(e *audit.Event) bool {
	return c.question.Deed == "execed" && e.Stage == audit.StageResponseStarted && isSession(e)
}

// refuses reports whether a request failed authentication, of which the API server
// writes no other stage.
func (c *Collector) refuses(e *audit.Event) bool {
	return c.question.Deed == "denied" && e.Stage == audit.StageResponseStarted && e.Code == 401
}

// An about says whether an event is about the object of the question.
type about uint8

const (
	other   about = iota
	named         // it names the object
	unnamed       // it is about the object's resource and namespace, but names no object
)

func (c *Collector) object(e *audit.Event) about {
	q := c.question
	if e.Resource != c.resource || q.APIGroup != "" && e.Group.String() != q.APIGroup || !c.inNamespace(e) && !c.everywhere(e) {
		return other
	}
	switch {
	case len(e.Name) == 0:
		return unnamed
	case c.fits(e.Name):
		return named
	}
	return other
}

func (c *Collector) inNamespace(e *audit.Event) bool {
	return c.question.Namespace == "" || e.Namespace.String() == c.question.Namespace || e.Namespace == (audit.Sym{}) && e.Resource != c.resource
}

// everywhere reports whether the event reads, or tries to read, the resource in all
// namespaces, and thereby in the one of the question.
func (c *Collector) everywhere(e *audit.Event) bool {
	return (c.question.Deed == "read" || c.question.Deed == "denied") && e.Namespace == (audit.Sym{}) && readsMany(e)
}

// fits reports whether a name matches the question's.
func (c *Collector) fits(name audit.View) bool {
	if c.glob == nil {
		return c.question.Name == string(name)
	}
	return c.glob(&audit.Event{Name: name})
}

// mayLead reports whether a deed to the event's object may lead to one to the
// object of the question: it is the object's namespace, or the object's name begins
// with its name, as names of what controllers make do. Leases and Events, of which
// there are many, own nothing.
func (c *Collector) mayLead(e *audit.Event) bool {
	if e.Resource == namespaces {
		return c.question.Namespace == "" || c.question.Namespace == string(e.Name)
	}
	if !c.inNamespace(e) || len(e.Name) == 0 || e.Subresource == audit.SubStatus || e.Resource == leases || e.Resource == events {
		return false
	}
	mine := c.question.literal()
	return strings.HasPrefix(mine, string(e.Name)) || c.glob != nil && bytes.HasPrefix(e.Name, []byte(mine))
}
