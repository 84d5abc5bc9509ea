package watchexpiry

import (
	"strconv"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Cited is the answer to a list, or the beginning or end of a watch, that may
// be cited.
type Cited struct {
	Line tally.Line `json:"line"`
	From audit.Time `json:"from"`
	RV   uint64     `json:"rv,omitempty"`
}

func (c *Cited) empty() bool { return c.Line.Empty() }

func (c *Cited) set(e *audit.Event) {
	c.Line.Set(e)
	c.From = e.Received
	c.RV, _ = e.ResourceVersion()
}

// offer cites e if it stands before what is cited.
func (c *Cited) offer(e *audit.Event) {
	if c.empty() || c.Line.CompareEvent(e) > 0 {
		c.set(e)
	}
}

// earlier returns the one that stands first. Nothing cited stands last.
func (c Cited) earlier(o Cited) Cited {
	if c.empty() || !o.empty() && c.Line.Compare(&o.Line) > 0 {
		return o
	}
	return c
}

// ref makes the reference to what was asked for by a verb.
func (c *Cited) ref(key *analysis.Key, verb audit.Sym) audit.Ref {
	about := audit.Event{
		Received: c.From, Verb: verb, User: key.User, Group: key.Group,
		Resource: key.Resource, Namespace: key.Namespace, Name: audit.View(key.Name),
	}
	if c.RV != 0 {
		about.URI = audit.View("?resourceVersion=" + strconv.FormatUint(c.RV, 10))
	}
	return c.Line.Ref(about)
}
