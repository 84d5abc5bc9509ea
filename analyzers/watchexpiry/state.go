package watchexpiry

import (
	"bytes"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// maxCells is how many steps of time a state tells apart for each of its
// three tallies. Steps begin at a microsecond, so that up to so many watches
// and lists are known one by one. A state has at most 20 KiB.
const maxCells = 64

// atOnce is how soon a watch has ended that ended at once: client-go's
// reflector calls a watch "very short" below a second.
const atOnce = time.Second

// A State is what is known of one client's lists and watches of one scope.
type State struct {
	Begun tally.Cells[tally.Span] `json:"begun"` // watches that were served, by receipt
	Ended int64                   `json:"ended"` // watches that went on from a version
	Ends  tally.Cells[Ends]       `json:"ends"`  // those that ended before their time, by end
	Lists tally.Cells[Lists]      `json:"lists"` // lists, and watches that begin with the whole state, by answer
}

func newState() *State {
	return &State{
		Begun: tally.Cells[tally.Span]{StepMicros: 1, Cap: maxCells},
		Ends:  tally.Cells[Ends]{StepMicros: 1, Cap: maxCells},
		Lists: tally.Cells[Lists]{StepMicros: 1, Cap: maxCells},
	}
}

// Observe takes in a list or a watch.
func (s *State) Observe(e *audit.Event) {
	if e.Verb == audit.VerbList {
		s.list(e)
		return
	}
	s.begun(e)
	whole := e.InitialEvents()
	if e.Stage != audit.StageResponseComplete {
		if whole {
			s.Lists.At(e.At).observe(e, 0)
		}
		return
	}
	how := endOf(e)
	if whole && how != cutOff { // it went on from no version that the server may have lost
		return
	}
	if !whole {
		s.Ended++
	}
	if how != ordinary {
		s.Ends.At(e.At).observe(e, how)
	}
}

// Close takes in what was left out: who watched before --since has lost that watch
// when the API server is killed, and a watch between two lists is one all the same.
func (s *State) Close(e *audit.Event) {
	if e.Verb == audit.VerbWatch {
		s.begun(e)
	}
}

func (s *State) begun(e *audit.Event) {
	if e.Code < 400 {
		s.Begun.At(e.Received).Add(e.Received)
	}
}

func (s *State) list(e *audit.Event) {
	if len(e.Param("continue")) > 0 { // another page of the same list
		return
	}
	rv, _ := e.ResourceVersion()
	s.Lists.At(e.At).observe(e, rv)
}

// Narrow leaves a part of the steps.
func (s *State) Narrow(share int) {
	s.Begun.Narrow(maxCells / share)
	s.Ends.Narrow(maxCells / share)
	s.Lists.Narrow(maxCells / share)
}

// Merge takes in what another state of the same client and scope knows.
func (s *State) Merge(o analysis.State) {
	other := o.(*State)
	s.Begun.Merge(&other.Begun)
	s.Ended += other.Ended
	s.Ends.Merge(&other.Ends)
	s.Lists.Merge(&other.Lists)
}

// Ends are the watches that ended before their time within a step.
type Ends struct {
	Expired int64      `json:"expired,omitempty"` // ended at once, or were answered 410
	Gone    int64      `json:"gone,omitempty"`    // of these, answered 410
	Early   int64      `json:"early,omitempty"`   // were cut off before their time
	At      tally.Span `json:"at"`                // when watches expired
	EarlyAt tally.Span `json:"earlyAt"`           // when watches were cut off that went on from a version
	WholeAt tally.Span `json:"wholeAt"`           // when watches were cut off that began with the whole state
	Oldest  uint64     `json:"oldest,omitempty"`  // the oldest version that the server said it had
	First   Cited      `json:"first"`             // of those that expired, or else of those that were cut off
}

// An end is how a watch ended.
type end int

const (
	ordinary end = iota // at its time, or nothing is known of it
	gone                // answered 410
	expired             // at once
	cutOff              // before its time
)

func endOf(e *audit.Event) end {
	lived, ok := e.Latency()
	asked, limited := e.TimeoutSeconds()
	switch {
	case e.Code == 410:
		return gone
	case !ok || e.Code >= 400 || lived < atOnce && bytes.Equal(e.Message, closedEarly):
		return ordinary
	case lived < atOnce && (!limited || asked > 2*atOnce) && len(e.Name) == 0:
		return expired
	case limited && lived >= atOnce && lived < asked-atOnce:
		return cutOff
	}
	return ordinary
}

func (s *Ends) observe(e *audit.Event, how end) {
	if how == cutOff {
		s.Early++
		if e.InitialEvents() {
			s.WholeAt.Add(e.At)
		} else {
			s.EarlyAt.Add(e.At)
		}
		if s.Expired == 0 {
			s.First.offer(e)
		}
		return
	}
	if s.Expired == 0 {
		s.First.set(e)
	} else {
		s.First.offer(e)
	}
	s.Expired++
	s.At.Add(e.At)
	if how == gone {
		s.Gone++
		s.Oldest = max(s.Oldest, numberAfter(e.Message, "("))
	}
}

// closedEarly, right after the receipt, is what an API server writes that
// serves watches in a routine of its own (kubernetes 126466): when such a watch
// ended is not in the log.
var closedEarly = []byte("Connection closed early")

// Plus returns what is known of both.
func (s Ends) Plus(o Ends) Ends {
	switch {
	case (s.Expired == 0) == (o.Expired == 0):
		s.First = s.First.earlier(o.First)
	case s.Expired == 0:
		s.First = o.First
	}
	s.Expired += o.Expired
	s.Gone += o.Gone
	s.Early += o.Early
	s.At.Merge(o.At)
	s.EarlyAt.Merge(o.EarlyAt)
	s.WholeAt.Merge(o.WholeAt)
	s.Oldest = max(s.Oldest, o.Oldest)
	return s
}

// Lists are the lists that were answered within a step.
type Lists struct {
	N     int64      `json:"n"`
	At    tally.Span `json:"at"`
	Dated *Dated     `json:"dated,omitempty"` // nil, as mostly, if none was at a version
	First Cited      `json:"first"`           // that was Dated, or of all
}

// ref cites the first of them. What began with the whole state was a watch: its
// state was there when it was answered, not when it ended.
func (l *Lists) ref(key *analysis.Key) audit.Ref {
	if l.First.Line.Stage() == audit.StageResponseStarted {
		return l.First.ref(key, audit.VerbWatch)
	}
	return l.First.ref(key, audit.VerbList)
}

// Dated are lists at one version, of several the lowest: a client that is stuck
// asks for that.
type Dated struct {
	RV       uint64     `json:"rv"`
	N        int64      `json:"n"`
	At       tally.Span `json:"at"`
	TooLarge int64      `json:"tooLarge,omitempty"` // for the server, which had not reached the version
	Current  uint64     `json:"current,omitempty"`  // where it was, at most
}

func (l *Lists) observe(e *audit.Event, rv uint64) {
	one := Lists{N: 1}
	one.At.Add(e.At)
	if rv != 0 {
		one.Dated = &Dated{RV: rv, N: 1, At: one.At}
		if bytes.Contains(e.Message, tooLarge) {
			one.Dated.TooLarge, one.Dated.Current = 1, numberAfter(e.Message, "current: ")
		}
	}
	// A line is made only if it is kept: most lists are not the first.
	switch prefers := l.prefers(&one); {
	case l.N == 0, prefers > 0:
		one.First.set(e)
	case prefers == 0:
		l.First.offer(e)
	}
	*l = l.Plus(one)
}

var tooLarge = []byte("Too large resource version")

// prefers says whose First is kept: 0 is the earlier, above 0 o's.
func (l *Lists) prefers(o *Lists) int {
	switch {
	case l.version() == o.version():
		return 0
	case l.Dated == nil, o.Dated != nil && o.Dated.RV < l.Dated.RV:
		return 1
	}
	return -1
}

func (l *Lists) version() uint64 {
	if l.Dated == nil {
		return 0
	}
	return l.Dated.RV
}

// Plus returns what is known of both.
func (l Lists) Plus(o Lists) Lists {
	if l.N == 0 {
		return o
	}
	if o.N == 0 {
		return l
	}
	sum, other := l, o
	switch l.prefers(&o) {
	case 0:
		if l.Dated != nil {
			sum.Dated.add(o.Dated)
		}
		sum.First = l.First.earlier(o.First)
	case 1:
		sum, other = o, l
	}
	sum.N += other.N
	sum.At.Merge(other.At)
	return sum
}

// add takes in lists at the same version.
func (d *Dated) add(o *Dated) {
	d.RV = o.RV
	d.N += o.N
	d.At.Merge(o.At)
	d.TooLarge += o.TooLarge
	d.Current = max(d.Current, o.Current)
}

// numberAfter returns the number that follows a mark in a message, or 0.
func numberAfter(message audit.View, mark string) uint64 {
	_, rest, _ := bytes.Cut(message, []byte(mark))
	end := 0
	for end < len(rest) && end < 20 && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseUint(string(rest[:end]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
