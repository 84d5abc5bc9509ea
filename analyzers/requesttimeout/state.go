package requesttimeout

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A State is what is known of all requests. It takes 8 bytes for each that
// ended, 5 MiB at most; where a policy leaves the ends out, 400 for each, 200 MiB
// at most; and 25 KiB at most for each client in trouble.
type State struct {
	Requests Register             `json:"requests"`
	Halves   Halves               `json:"halves"`
	Clients  tally.Table[*Client] `json:"clients"` // by client and resource
}

const maxClients = 1024

func newState() *State { return &State{Clients: tally.Table[*Client]{Cap: maxClients}} }

// A Client is the requests of one client, for one resource, that were slow or
// failed.
type Client struct {
	Subject  analysis.Subject `json:"subject"`
	TimedOut tally.Refs       `json:"timedOut"` // of each class of failures, how many and the first: see classOf
	EtcdOut  tally.Refs       `json:"etcdOut"`
	OwnOut   tally.Refs       `json:"ownOut"`
	GaveUp   tally.Refs       `json:"gaveUp"`
	Unread   tally.Refs       `json:"unread"`

	Deadlines tally.Sample[took]       `json:"deadlines"` // that tell the API server's timeout, the shortest
	Lasted    tally.Histogram          `json:"lasted"`    // of requests that ended otherwise
	Longest   tally.Sample[life]       `json:"longest"`   // of these
	Failed    tally.Cells[tally.Count] `json:"failed"`    // TimedOut and EtcdOut, by when
	Span      tally.Span               `json:"span"`      // of all that failed
	Verbs     tally.Set                `json:"verbs"`     // of all that failed
	Max       time.Duration            `json:"max"`       // of all that failed
}

const (
	keptDeadlines = 32
	keptLongest   = 32
	keptCells     = 128
	maxVerbs      = 8
)

func newClient(e *audit.Event) *Client {
	return &Client{
		Subject: analysis.Subject{
			User: e.Actor().String(), UserAgent: e.UserAgent.String(), SourceIP: e.ClientIP().String(),
			APIGroup: e.Group.String(), Resource: e.Resource.String(),
		},
		Deadlines: tally.Sample[took]{K: keptDeadlines},
		Longest:   tally.Sample[life]{K: keptLongest},
		Failed:    tally.Cells[tally.Count]{StepMicros: time.Minute.Microseconds(), Cap: keptCells},
		Verbs:     tally.Set{Cap: maxVerbs},
	}
}

// took is how long a request took.
type took time.Duration

// Compare orders the shortest first.
func (t took) Compare(o took) int { return cmp.Compare(t, o) }

// A life is one slow request.
type life struct {
	Took time.Duration `json:"took"`
	From audit.Time    `json:"from"`
	Verb string        `json:"verb"`
	Ref  audit.Ref     `json:"ref"`
}

// Compare orders the longest first.
func (l life) Compare(o life) int {
	return cmp.Or(cmp.Compare(o.Took, l.Took), l.Ref.Compare(o.Ref))
}

// Observe takes in an event.
func (s *State) Observe(e *audit.Event) {
	s.Requests.observe(e)
	s.Halves.observe(e)
	class := classOf(e)
	if class == fine {
		return
	}
	client := s.Clients.At(nameOf(e))
	if client == nil {
		return
	}
	if *client == nil {
		*client = newClient(e)
	}
	(*client).observe(e, class)
}

// Close takes in the end of a request whose end was left out.
func (s *State) Close(e *audit.Event) {
	s.Requests.end(e)
	if e.Stage != audit.StageRequestReceived {
		s.Halves.observe(e)
	}
}

// nameOf names the client and the resource of a request.
func nameOf(e *audit.Event) string {
	return strings.Join([]string{
		e.Actor().String(), e.UserAgent.String(), e.ClientIP().String(), e.Group.String(), e.Resource.String(),
	}, "\x00")
}

func (c *Client) observe(e *audit.Event, class class) {
	d, _ := e.Latency()
	if class == lasted {
		c.last(e, d)
		return
	}
	c.Verbs.Add(e.Verb.String())
	c.Span.Add(e.At)
	c.Max = max(c.Max, d)
	switch class {
	case timedOut:
		c.Span.Add(e.Began()) // what kept it was there by then
		c.TimedOut.Add(e)
		*c.Failed.At(e.At)++
		if tellsTimeout(e, d) {
			c.Deadlines.Add(took(d))
		}
	case etcdOut:
		c.Span.Add(e.Began())
		c.EtcdOut.Add(e)
		*c.Failed.At(e.At)++
	case ownOut:
		c.OwnOut.Add(e)
	case gaveUp:
		c.GaveUp.Add(e)
	case unread:
		c.Unread.Add(e)
	}
}

// writeLimit is how long the API server works on a write at most, whatever its
// timeout: requestTimeoutUpperBound in apiserver pkg/endpoints/handlers/rest.go.
const writeLimit = 34 * time.Second

// tellsTimeout reports whether a request that timed out tells the API server's
// timeout: not if a write ran into its own limit.
func tellsTimeout(e *audit.Event, d time.Duration) bool {
	if e.IsWrite() && d >= writeLimit && d < writeLimit+time.Second {
		return false
	}
	return e.Code == 504 && bytes.Contains(e.Message, textDeadline)
}

func (c *Client) last(e *audit.Event, d time.Duration) {
	c.Lasted.Add(d)
	c.Longest.Offer(
		func(kept *life) int { return cmp.Or(cmp.Compare(kept.Took, d), e.CompareRef(&kept.Ref)) },
		func() life { return life{Took: d, From: e.Received, Verb: e.Verb.String(), Ref: e.Ref()} })
}

// Merge takes in what another state knows.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Requests.merge(&o.Requests)
	s.Halves.merge(&o.Halves)
	s.Clients.Merge(&o.Clients)
}

// Plus joins what two states know of one client. It uses up both.
func (c *Client) Plus(o *Client) *Client {
	if c == nil || o == nil {
		return cmp.Or(c, o)
	}
	c.TimedOut.Merge(&o.TimedOut)
	c.EtcdOut.Merge(&o.EtcdOut)
	c.OwnOut.Merge(&o.OwnOut)
	c.GaveUp.Merge(&o.GaveUp)
	c.Unread.Merge(&o.Unread)
	c.Deadlines.Merge(&o.Deadlines)
	c.Lasted.Merge(&o.Lasted)
	c.Longest.Merge(&o.Longest)
	c.Failed.Merge(&o.Failed)
	c.Span.Merge(o.Span)
	c.Verbs.Merge(&o.Verbs)
	c.Max = max(c.Max, o.Max)
	return c
}
