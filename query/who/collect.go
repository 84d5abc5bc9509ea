package who

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Deed is something that a client did, according to the log.
type Deed struct {
	*query.Record
	Owners []Owner `json:"owners,omitempty"` // of its object, if the log has the body
	sure   bool    // it names the object
	passed bool    // it is an answer that the other flags leave out

	// Only if the question is who scaled the object:
	left   bool    // the other flags leave the deed out
	size   *size   // what its bodies tell of the replicas; nil without bodies
	scaled *scaled // what it did to the replicas; nil if nothing
}

func (d *Deed) object() object { return object{d.Resource, d.Namespace, d.Name} }

func (d *Deed) place() place { return place{d.Namespace, d.Name} }

// A Collector keeps the events that may help to answer a question. It is for
// one goroutine.
type Collector struct {
	question *Question
	asked    *ask
	choose   func(*audit.Event) bool // the other flags: they choose among the answers
	resource audit.Sym
	glob     func(*audit.Event) bool // matches names; nil if the question's has no *

	// The deeds by their relation to the question; see there.
	deeds     shelf
	leads     shelf
	nodes     shelf
	elsewhere shelf
	touched   shelf // also those asked for that the other flags leave out
	kin       shelf
	first     *Deed // the first deed to the object in the log
	reads     bool  // the log has reads, of anything

	index *index // nil before Answer
}

// How many deeds shelves keep. Few are done to one object; many are done to
// others, of which those that are near in time matter.
const (
	maxAsked     = 10_000
	maxLeads     = 10_000
	maxElsewhere = 5_000
)

// NewCollector returns an empty collector. choose reports whether an event may
// be an answer; it is the worker's matcher of the filter flags.
func NewCollector(q *Question, choose func(*audit.Event) bool) (*Collector, error) {
	c := &Collector{
		question: q, asked: askFor(q.Deed), choose: choose, resource: audit.Intern(q.Resource),
		deeds: shelf{most: maxAsked}, leads: shelf{most: maxLeads}, nodes: shelf{most: maxElsewhere},
		elsewhere: shelf{most: maxElsewhere}, touched: shelf{most: maxAsked}, kin: shelf{most: maxLeads, once: true},
	}
	if strings.Contains(q.Name, "*") {
		condition, err := query.Filter{Names: []string{q.Name}}.Compile()
		if err != nil {
			return nil, err
		}
		c.glob = condition.Matcher()
	}
	return c, nil
}

// Observe keeps an event if it may help to answer the question.
func (c *Collector) Observe(e *audit.Event) {
	c.reads = c.reads || e.Resource != (audit.Sym{}) && (e.Verb == audit.VerbGet || readsMany(e))
	rel := c.relation(e)
	if rel == unrelated {
		return
	}
	d := &Deed{Record: query.NewRecord(e), sure: rel == done}
	var name string
	if rel != elsewhere && rel != nodeChange {
		name, d.Owners = readMeta(e)
	}
	if c.question.Deed == "scaled" && (rel == done || rel == touched) {
		d.size, d.left = readSize(e), !c.choose(e)
	}
	if rel == maybe && e.Verb == audit.VerbCreate && name != "" {
		// The body has the name that the API server made.
		if !c.fits(audit.View(name)) {
			return
		}
		d.Name, rel, d.sure = name, done, true
	}
	if rel == kin {
		d.Name = cmp.Or(d.Name, name)
	}
	c.keep(rel, d, e)
}

func (c *Collector) keep(rel relation, d *Deed, e *audit.Event) {
	if rel == done || rel == touched {
		if c.first == nil || d.Compare(c.first.Record) < 0 {
			c.first = d
		}
	}
	switch rel {
	case done, maybe:
		if c.choose(e) {
			c.deeds.add(d)
		} else {
			d.passed = true
			c.touched.add(d)
		}
	case touched:
		c.touched.add(d)
	case led:
		c.leads.add(d)
	case nodeChange:
		c.nodes.add(d)
	case elsewhere:
		c.elsewhere.add(d)
	case kin:
		if d.Owners != nil && d.Name != "" {
			c.kin.add(d)
		}
	}
}

// Merge takes in what o has kept.
func (c *Collector) Merge(o *Collector) {
	for _, s := range [][2]*shelf{
		{&c.deeds, &o.deeds},
		{&c.leads, &o.leads},
		{&c.nodes, &o.nodes},
		{&c.elsewhere, &o.elsewhere},
		{&c.touched, &o.touched},
		{&c.kin, &o.kin},
	} {
		s[0].merge(s[1])
	}
	c.reads = c.reads || o.reads
	if o.first != nil && (c.first == nil || o.first.Compare(c.first.Record) < 0) {
		c.first = o.first
	}
}

// A shelf keeps the latest deeds.
type shelf struct {
	most    int  // how many, after trim
	once    bool // only the latest deed to each object
	deeds   []*Deed
	dropped bool // there were more than most
}

func (s *shelf) add(d *Deed) {
	s.deeds = append(s.deeds, d)
	if len(s.deeds) >= 2*s.most {
		s.trim()
	}
}

func (s *shelf) merge(o *shelf) {
	s.deeds = append(s.deeds, o.deeds...)
	s.dropped = s.dropped || o.dropped
	if len(s.deeds) >= 2*s.most {
		s.trim()
	}
}

// trim puts the deeds in order of time and keeps the latest.
func (s *shelf) trim() {
	slices.SortFunc(s.deeds, func(a, b *Deed) int { return a.Compare(b.Record) })
	if s.once {
		s.deeds = latestOfEach(s.deeds)
	}
	if n := len(s.deeds) - s.most; n > 0 {
		s.deeds, s.dropped = slices.Delete(s.deeds, 0, n), true
	}
}

// latestOfEach leaves the last deed to each object.
func latestOfEach(deeds []*Deed) []*Deed {
	last := make(map[object]*Deed, len(deeds))
	for _, d := range deeds {
		last[d.object()] = d
	}
	return slices.DeleteFunc(deeds, func(d *Deed) bool { return last[d.object()] != d })
}
