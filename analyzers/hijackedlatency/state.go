package hijackedlatency

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A State holds the sessions and streams of one client, namespace and
// subresource.
type State struct {
	Sessions lives                   `json:"sessions"` // ended and hijacked: code 101
	Streams  lives                   `json:"streams"`  // ended and not hijacked: logs -f, plain proxied requests
	Open     map[string]*tally.Pairs `json:"open"`     // requests with and without an end, by log
	Typed    tally.Set               `json:"typed"`    // requests with a terminal, by requestName
	Upgrades tally.Table[upgrade]    `json:"upgrades"` // WebSocket upgrades, by requestName
	Paired   tally.Table[paired]     `json:"paired"`   // sessions whose events have one timestamp, by requestName

	Resources  tally.Set `json:"resources"` // several if the subresource is proxy: pods, services, nodes
	Targets    tally.Set `json:"targets"`
	Containers tally.Set `json:"containers"`
	Programs   tally.Set `json:"programs"` // argv[0]
	Commands   tally.Set `json:"commands"` // whole command lines
}

// How much a State keeps. It takes 20 KiB at most, half of it for requests that
// have ended, which must be kept to tell them from those that have not.
const (
	keptLives    = 32
	keptRequests = 256
	keptUpgrades = 128
	keptNames    = 8
)

func newState() *State {
	return &State{
		Sessions:   lives{Longest: tally.Sample[life]{K: keptLives}},
		Streams:    lives{Longest: tally.Sample[life]{K: keptLives}},
		Open:       map[string]*tally.Pairs{},
		Typed:      tally.Set{Cap: keptRequests},
		Upgrades:   tally.Table[upgrade]{Cap: keptUpgrades},
		Paired:     tally.Table[paired]{Cap: keptRequests},
		Resources:  tally.Set{Cap: keptNames},
		Targets:    tally.Set{Cap: keptNames},
		Containers: tally.Set{Cap: keptNames},
		Programs:   tally.Set{Cap: keptNames},
		Commands:   tally.Set{Cap: keptNames},
	}
}

// lives is how long the sessions lasted that ended.
type lives struct {
	Took    tally.Histogram    `json:"took"`
	Classes [4]int64           `json:"classes"` // number of sessions up to 200 ms, 1 s, 1 min, and above
	Longest tally.Sample[life] `json:"longest"`
}

// classes are the upper bounds of the classes of latencies in the API server's
// own log.
var classes = [3]time.Duration{200 * time.Millisecond, time.Second, time.Minute}

func (l *lives) add(e *audit.Event, took time.Duration) {
	l.count(took)
	l.Longest.Offer(
		func(kept *life) int { return cmp.Or(cmp.Compare(kept.Took, took), e.CompareRef(&kept.Ref)) },
		func() life {
			return life{Took: took, From: e.Received, Interactive: interactive(e), Ref: e.Ref()}
		})
}

func (l *lives) count(took time.Duration) {
	l.Took.Add(took)
	class := 0
	for class < len(classes) && took > classes[class] {
		class++
	}
	l.Classes[class]++
}

// with returns l with those sessions of open whose end is in the API server's own
// log.
func (l *lives) with(open []unended) *lives {
	all := lives{Classes: l.Classes, Longest: l.Longest}
	all.Took.Merge(&l.Took)
	for _, o := range open {
		if o.why == endedUnheard {
			all.count(o.age)
		}
	}
	return &all
}

func (l *lives) merge(o *lives) {
	l.Took.Merge(&o.Took)
	for i, n := range o.Classes {
		l.Classes[i] += n
	}
	l.Longest.Merge(&o.Longest)
}

// A life is one session that ended.
type life struct {
	Took        time.Duration `json:"took"`
	From        audit.Time    `json:"from"`
	Interactive bool          `json:"interactive,omitempty"` // it had a terminal
	Ref         audit.Ref     `json:"ref"`
}

// Compare orders lives, the longest first.
func (l life) Compare(o life) int {
	return cmp.Or(cmp.Compare(o.Took, l.Took), l.Ref.Compare(o.Ref))
}

func interactive(e *audit.Event) bool { return string(e.Param("tty")) == "true" }

// An upgrade is one connection that was upgraded to a WebSocket.
type upgrade struct {
	Resource string     `json:"resource"`
	Target   string     `json:"target"`  // name of the object
	Started  audit.Time `json:"started"` // when it was answered; 0 if not known
	Ended    audit.Time `json:"ended"`   // 0 if not known
	EndedRef audit.Ref  `json:"endedRef"`
}

// Plus joins what two states hold of the same upgrade.
func (u upgrade) Plus(o upgrade) upgrade {
	u.Resource, u.Target = max(u.Resource, o.Resource), max(u.Target, o.Target)
	u.Started = max(u.Started, o.Started)
	if o.Ended != 0 && (u.Ended == 0 || o.EndedRef.Compare(u.EndedRef) < 0) {
		u.Ended, u.EndedRef = o.Ended, o.EndedRef
	}
	return u
}

// Observe takes in any stage of a request.
func (s *State) Observe(e *audit.Event) {
	if e.Received != 0 {
		s.pairs(e.Log).Observe(e)
	}
	if !e.Hijacked() && !isStream(e) {
		return
	}
	s.describe(e)
	if e.Received == 0 {
		s.observePaired(e)
		return
	}
	s.observeUpgrade(e)
	took, ok := e.Latency()
	switch {
	case !ok:
	case e.Hijacked():
		s.Sessions.add(e, took)
	default:
		s.Streams.add(e, took)
	}
}

// Close takes in the end of a request that the filters left out: see
// analysis.Closer.
func (s *State) Close(e *audit.Event) {
	if e.Received != 0 {
		s.pairs(e.Log).Close(e)
	}
}

func (s *State) pairs(log string) *tally.Pairs {
	p := s.Open[log]
	if p == nil {
		p = &tally.Pairs{Cap: keptRequests}
		s.Open[log] = p
	}
	return p
}

// isStream reports whether e belongs to a stream: a request for a log or through
// a proxy that was answered and not hijacked, and that lasts as long as there is
// something to send. If the client leaves, the reverse proxy ends it with the
// panic http.ErrAbortHandler, which is no fault.
func isStream(e *audit.Event) bool {
	if e.Subresource != audit.SubLog && e.Subresource != audit.SubProxy {
		return false
	}
	if e.Stage == audit.StagePanic {
		return bytes.HasSuffix(e.Message, []byte("net/http: abort Handler"))
	}
	return e.Code >= 200 && e.Code < 300
}

// describe keeps the target of a session and what it runs there.
func (s *State) describe(e *audit.Event) {
	s.Resources.Add(e.Resource.String())
	s.Targets.AddBytes(e.Name)
	if c := e.Param("container"); len(c) > 0 {
		s.Containers.AddBytes(c)
	}
	if interactive(e) {
		s.Typed.Add(requestName(tally.RequestHash(e)))
	}
	if e.Subresource != audit.SubExec {
		return
	}
	if argv := commandOf(e.URI); len(argv) > 0 {
		s.Programs.Add(argv[0])
		s.Commands.Add(strings.Join(argv, " "))
	}
}

// observeUpgrade keeps when a WebSocket upgrade was answered and when it ended.
// For SPDY the API server connects to the target before it answers, so an upgrade
// that fails is answered with an error.
func (s *State) observeUpgrade(e *audit.Event) {
	const synthetic = "Connection closed early"
	if !e.Hijacked() || e.Verb != audit.VerbGet || string(e.Message) == synthetic || e.Coarse {
		return
	}
	u := s.Upgrades.At(requestName(tally.RequestHash(e)))
	if u == nil {
		return
	}
	about := upgrade{Resource: e.Resource.String(), Target: e.Name.String()}
	switch e.Stage {
	case audit.StageResponseStarted:
		about.Started = e.At
		*u = u.Plus(about)
	case audit.StageResponseComplete:
		about.Ended, about.EndedRef = e.At, e.Ref()
		*u = u.Plus(about)
	}
}

// Merge takes in another state of the same key.
func (s *State) Merge(other analysis.State) {
	o := other.(*State)
	s.Sessions.merge(&o.Sessions)
	s.Streams.merge(&o.Streams)
	for log, pairs := range o.Open {
		if mine := s.Open[log]; mine != nil {
			mine.Merge(pairs)
		} else {
			s.Open[log] = pairs
		}
	}
	s.Typed.Merge(&o.Typed)
	s.Upgrades.Merge(&o.Upgrades)
	s.Paired.Merge(&o.Paired)
	s.Resources.Merge(&o.Resources)
	s.Targets.Merge(&o.Targets)
	s.Containers.Merge(&o.Containers)
	s.Programs.Merge(&o.Programs)
	s.Commands.Merge(&o.Commands)
}
