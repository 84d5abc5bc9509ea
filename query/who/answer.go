package who

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// An Answer says who did what was asked for. It is what "kaudit who -o json"
// prints; docs/who.schema.json describes it.
type Answer struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Question   *Question `json:"question"`
	Answers    []*Told   `json:"answers"` // the latest first
	Notes      []string  `json:"notes"`
}

// A Told is a deed, or several of one kind by one client to one object, and
// what led to the last of them.
type Told struct {
	Deed       *Deed      `json:"deed"` // the last one
	Confidence string     `json:"confidence"`
	How        string     `json:"how"`              // how this is known, if the event itself does not say so
	Change     string     `json:"change,omitempty"` // what the last one did to the replicas, if it is a scaling whose body the log has
	Times      int        `json:"times"`
	First      audit.Time `json:"first"`          // when the first one was done
	Longest    *float64   `json:"longestSeconds"` // how long the longest took; null if none has ended
	Because    []*Link    `json:"because"`        // what led to it, the nearest cause first
	Then       *Deed      `json:"then"`           // what completed it, or null
	Root       string     `json:"root"`           // the client at the end of the chain
}

// A Link is a deed that led to another one.
type Link struct {
	Deed       *Deed  `json:"deed"`
	Why        string `json:"why"`
	How        string `json:"how"` // how this is known
	Confidence string `json:"confidence"`
}

// The confidences, as findings have them.
const (
	confirmed = "confirmed"
	likely    = "likely"
	possible  = "possible"
)

// Words are parts of the note that an Answer without answers has. An empty one
// has a default.
type Words struct {
	LeftOut string // which flags leave out what was asked for: "no answer fits --user bob"
	Log     string // what was looked at: "the chosen part of the log"
}

// Answer answers the question. The collector can't be used afterwards.
func (c *Collector) Answer(words Words) *Answer {
	for _, s := range []*shelf{&c.deeds, &c.leads, &c.nodes, &c.elsewhere, &c.touched, &c.kin} {
		s.trim()
	}
	c.closeSessions()
	if c.question.Deed == "scaled" {
		c.onlyScalings()
	}
	a := &Answer{APIVersion: "kaudit/v1", Kind: "Who", Question: c.question, Answers: []*Told{}, Notes: []string{}}
	c.index = newIndex(c)
	told := map[string]*Told{}
	for _, deeds := range c.episodes() {
		t := c.tell(deeds)
		if same := told[t.key()]; same != nil {
			same.Times += t.Times
			same.First = min(same.First, t.First)
			same.Longest = query.Longest(same.Longest, t.Longest)
			continue
		}
		told[t.key()] = t
		a.Answers = append(a.Answers, t)
	}
	for _, t := range a.Answers {
		c.chain(t)
	}
	slices.SortStableFunc(a.Answers, func(x, y *Told) int {
		return cmp.Or(cmp.Compare(y.Deed.Time, x.Deed.Time), y.Deed.Compare(x.Deed.Record))
	})
	a.Notes = append(a.Notes, c.notes(a, Words{cmp.Or(words.LeftOut, "the other flags leave that out"), cmp.Or(words.Log, "the log")})...)
	return a
}

// closeSessions drops the beginnings of sessions whose end is in the log, even if
// the other flags leave the end out.
func (c *Collector) closeSessions() {
	started := audit.StageResponseStarted.String()
	ended := map[string]bool{}
	for _, d := range slices.Concat(c.deeds.deeds, c.touched.deeds) {
		if d.Stage != started {
			ended[d.AuditID] = true
		}
	}
	for _, s := range []*shelf{&c.deeds, &c.touched} {
		s.deeds = slices.DeleteFunc(s.deeds, func(d *Deed) bool { return d.Stage == started && ended[d.AuditID] })
	}
}

// key identifies the deeds that are told as one.
func (t *Told) key() string {
	d := t.Deed
	return strings.Join([]string{d.Client(), d.Object(), d.Verb, strconv.Itoa(d.Code), d.Stage, t.How}, "\x00")
}

// grace is how long one deletion may take: a pod has as long as its
// terminationGracePeriodSeconds, which is seldom more.
const grace = 10 * time.Minute

// episodes returns groups of deeds that belong together, the latest first. Only
// deletions are groups of several deeds: a client asks for one and a kubelet
// completes it.
func (c *Collector) episodes() [][]*Deed {
	var sure, unsure []*Deed
	for _, d := range c.deeds.deeds {
		if d.sure {
			sure = append(sure, d)
		} else {
			unsure = append(unsure, d)
		}
	}
	var all [][]*Deed
	last := map[object]int{}
	for _, d := range sure {
		i, ok := last[d.object()]
		if ok && c.question.Deed == "deleted" && c.continues(all[i], d) {
			all[i] = append(all[i], d)
			continue
		}
		last[d.object()] = len(all)
		all = append(all, []*Deed{d})
	}
	for _, d := range c.guesses(sure, unsure) {
		all = append(all, []*Deed{d})
	}
	slices.Reverse(all)
	return all
}

// continues reports whether a deletion belongs to earlier ones of the same object:
// it came soon after, and the object was not created in between.
func (c *Collector) continues(before []*Deed, d *Deed) bool {
	last := before[len(before)-1]
	if d.Time.Sub(last.Time) > grace {
		return false
	}
	return !c.index.createdBetween(d.object(), last.Time, d.Time)
}

// guesses returns which of the unsure deeds, which name no object, may be answers:
// all that read a collection or were denied, and all if the question is about
// several objects. If no sure deed names the one object, it is the last deletion
// of a collection, or the last create before the first sign of the object.
func (c *Collector) guesses(sure, unsure []*Deed) []*Deed {
	switch {
	case c.question.Deed == "read" || c.question.Deed == "denied" || c.glob != nil:
		return unsure
	case len(sure) > 0 || len(unsure) == 0:
		return nil
	case c.question.Deed == "deleted":
		return unsure[len(unsure)-1:]
	case c.first == nil:
		return nil
	}
	const near = time.Minute
	if c.first.Verb == "delete" {
		return nil // it was there before
	}
	for i := len(unsure) - 1; i >= 0; i-- {
		if d := unsure[i]; d.Namespace == c.first.Namespace && d.Began() <= c.first.Time && c.first.Time.Sub(d.Time) <= near {
			return []*Deed{d}
		}
	}
	return nil
}

// tell tells of an episode: its first deed is that of the client who asked.
func (c *Collector) tell(deeds []*Deed) *Told {
	first, last := deeds[0], deeds[len(deeds)-1]
	t := &Told{Deed: first, Confidence: confirmed, Times: 1, First: first.Time, Longest: first.Latency, Because: []*Link{}}
	if last != first {
		t.Then = last
	}
	if first.scaled != nil {
		t.Change, t.How, t.Confidence = first.scaled.change, first.scaled.how, first.scaled.confidence
	}
	if first.sure {
		return t
	}
	t.Confidence, t.How = possible, "it names no object, and this one may have been among them"
	switch {
	case c.question.Deed == "denied" && c.question.Name == "*":
		t.Confidence, t.How = confirmed, ""
	case c.question.Deed == "created" && c.question.Name == "*":
		t.Confidence, t.How = confirmed, "its name was made by the server and is not in the log"
	case c.question.Deed == "created" && c.glob != nil:
		t.How = "its name was made by the server and is not in the log: it may be one that fits"
	case c.question.Deed == "created":
		t.How = "its name was made by the server and is not in the log; this is the last such create before the first sign of the object"
		if c.oneCreator(first) {
			t.Confidence = likely
		}
	}
	return t
}

// oneCreator reports whether all creates near a deed that name no object came from
// one client: then it was that client, whichever of them made the object.
func (c *Collector) oneCreator(d *Deed) bool {
	const near = 10 * time.Second
	for _, o := range c.deeds.deeds {
		if !o.sure && o.Namespace == d.Namespace && o.Client() != d.Client() && d.Time.Sub(o.Time).Abs() <= near {
			return false
		}
	}
	return true
}

// chain finds what led to a deed.
func (c *Collector) chain(t *Told) {
	const most = 8
	seen := map[*Deed]bool{t.Deed: true}
	for d := t.Deed; len(t.Because) < most; {
		link := c.cause(d)
		if link == nil || seen[link.Deed] {
			break
		}
		t.Because = append(t.Because, link)
		seen[link.Deed], d = true, link.Deed
	}
	t.Root = t.end().Client()
}

// end returns the last deed of the chain.
func (t *Told) end() *Deed {
	if n := len(t.Because); n > 0 {
		return t.Because[n-1].Deed
	}
	return t.Deed
}
