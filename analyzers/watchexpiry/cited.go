package watchexpiry

import (
	"cmp"
	"strconv"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Cited is the end of a list or watch that may be cited.
type Cited struct {
	Line  tally.Line `json:"line"`
	From  audit.Time `json:"from"`
	RV    uint64     `json:"rv,omitempty"`
	Watch bool       `json:"watch,omitempty"`
	Cut   bool       `json:"cut,omitempty"` // a watch that did not expire, but was cut off
}

func (c *Cited) empty() bool { return c.Line.Empty() }

func (c *Cited) set(e *audit.Event) {
	c.Line.Set(e)
	c.From = e.Received
	c.RV, _ = e.ResourceVersion()
	c.Watch = e.IsWatch()
}

// offer cites e if it stands before what is cited, or did expire.
func (c *Cited) offer(e *audit.Event, cut bool) {
	if c.empty() || cmp.Or(compareCut(c.Cut, cut), c.Line.CompareEvent(e)) > 0 {
		c.set(e)
		c.Cut = cut
	}
}

// earlier returns the one that stands first. Nothing cited stands last.
func (c Cited) earlier(o Cited) Cited {
	if c.empty() || !o.empty() && c.compare(&o) > 0 {
		return o
	}
	return c
}

func (c *Cited) compare(o *Cited) int {
	return cmp.Or(compareCut(c.Cut, o.Cut), c.Line.Compare(&o.Line))
}

// compareCut puts what was cut off last.
func compareCut(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (c *Cited) ref(key *analysis.Key) audit.Ref {
	about := audit.Event{
		Received: c.From, Verb: audit.VerbList, User: key.User, Group: key.Group,
		Resource: key.Resource, Namespace: key.Namespace, Name: audit.View(key.Name),
	}
	if c.Watch {
		about.Verb = audit.VerbWatch
	}
	if c.RV != 0 {
		about.URI = audit.View("?resourceVersion=" + strconv.FormatUint(c.RV, 10))
	}
	return c.Line.Ref(about)
}
