package analysis

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// ownSigns count, in one step of time, requests that an API server makes to itself, as
// system:apiserver, to watch and to write its own objects. Nothing else in an audit log
// shows that a server starts or stops.
type ownSigns struct {
	// Fresh counts, by stage, the watches and lists with which reflectors begin; Boots the
	// reads and writes of roles, which a server reconciles once after its start. Born is
	// when they were received.
	Fresh [audit.StagePanic + 1]int64 `json:"fresh"`
	Boots [audit.StagePanic + 1]int64 `json:"boots"`
	Born  tally.Span                  `json:"born"`
	// Cut counts watches that ended well before their timeout. Died is when.
	Cut  int64      `json:"cut,omitempty"`
	Died tally.Span `json:"died"`
}

// Plus returns the sum.
func (s ownSigns) Plus(o ownSigns) ownSigns {
	for i := range s.Fresh {
		s.Fresh[i] += o.Fresh[i]
		s.Boots[i] += o.Boots[i]
	}
	s.Born.Merge(o.Born)
	s.Cut += o.Cut
	s.Died.Merge(o.Died)
	return s
}

// started reports whether the signs are so many as only a start makes. Stages are looked at
// one by one, since a policy may leave some out.
func (s *ownSigns) started() bool {
	for i := range s.Fresh {
		if s.Fresh[i] >= minFresh || s.Boots[i] >= minBoots {
			return true
		}
	}
	return false
}

const (
	// minFresh reflectors that begin are a start. An API server has some 25 (1.18) to 39
	// (1.37) watches of its own; a running one renews each from where it ended.
	minFresh = 10
	// minBoots requests for roles are a start: some hundred are reconciled, and only then.
	minBoots = 20
	// minCut watches that end at once are a stop, if the server was told to.
	minCut = 10

	startWithin = 30 * time.Second // from the first sign to the last, on a slow machine
	stopWithin  = 2 * time.Second
	serverCells = 256

	refusedCells = 256
	againWithin  = time.Minute // a client waits half as long at most until it asks again
)

var (
	userAPIServer = audit.Intern(userServer)
	groupRBAC     = audit.Intern("rbac.authorization.k8s.io")
)

func (l *logFacts) observeServer(e *audit.Event) {
	if e.User != userAPIServer {
		return
	}
	l.Speaks = true
	began := e.Began()
	switch {
	case fresh(e):
		cell := l.Server.At(began)
		cell.Fresh[e.Stage]++
		cell.Born.Add(began)
	case e.Group == groupRBAC && !e.IsWatch() && e.Verb != audit.VerbList:
		cell := l.Server.At(began)
		cell.Boots[e.Stage]++
		cell.Born.Add(began)
	}
	l.observeCrew(e)
	if wasCut(e) {
		cell := l.Server.At(e.At)
		cell.Cut++
		cell.Died.Add(e.At)
	}
}

// fresh reports whether e begins a reflector: by the watch-list of newer
// clients or the list from resourceVersion 0 of older ones.
func fresh(e *audit.Event) bool {
	switch e.Verb {
	case audit.VerbWatch:
		return e.InitialEvents()
	case audit.VerbList:
		return string(e.Param("resourceVersion")) == "0"
	}
	return false
}

// Starts returns the times at which the log's API server started, in order. One may be
// before the log's first event, if requests that began then are in the log.
func (f *Facts) Starts(log string) []audit.Time {
	l := f.Logs[log]
	if l == nil {
		return nil
	}
	if !l.Speaks {
		return l.refusedCore()
	}
	return episodes(&l.Server, startWithin,
		func(s *ownSigns) tally.Span { return s.Born }, (*ownSigns).started,
		func(s *ownSigns) audit.Time { return s.Born.First })
}

// AllStarts returns the times at which the API servers of all logs started, in order.
func (f *Facts) AllStarts() []audit.Time {
	var all []audit.Time
	for log := range f.Logs {
		all = append(all, f.Starts(log)...)
	}
	slices.Sort(all)
	return all
}

// refusedCore returns when a server started whose own requests are not in its log, since
// a policy leaves them out. One that has not read roles yet refuses the cluster's core
// what its roles always grant. If that happens again and again, it is no start: the roles
// are wrong.
func (l *logFacts) refusedCore() (starts []audit.Time) {
	spans := episodes(&l.Refused, startWithin,
		func(r *refused) tally.Span { return r.Span }, func(*refused) bool { return true },
		func(r *refused) tally.Span { return r.Span })
	for i, s := range spans {
		before := i > 0 && s.First.Sub(spans[i-1].Last) <= againWithin
		after := i+1 < len(spans) && spans[i+1].First.Sub(s.Last) <= againWithin
		if !before && !after {
			starts = append(starts, s.First)
		}
	}
	return starts
}

// refused is when, within one step of time, lists and watches of the core were refused.
type refused struct {
	Span tally.Span `json:"span"` // by receipt
}

// Plus returns the sum.
func (r refused) Plus(o refused) refused { return refused{r.Span.Plus(o.Span)} }

// core are the users whose roles come with Kubernetes. Source: kubernetes
// plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
var core = []audit.Sym{audit.Intern("system:kube-proxy"), audit.Intern(userManager), audit.Intern(userScheduler)}

func (l *logFacts) observeRefused(e *audit.Event) {
	if e.Code != 403 || e.Stage != audit.StageResponseComplete || e.Verb != audit.VerbList && e.Verb != audit.VerbWatch || !slices.Contains(core, e.User) {
		return
	}
	began := e.Began()
	l.Refused.At(began).Span.Add(began)
}

// StartingUp reports whether at lies just after one of the starts. An API server serves
// requests before its informers have read roles, service accounts and services; until they
// have, it refuses everybody (kubernetes pkg/kubeapiserver/authorizer) and reaches no
// webhook. The true start may be a little before the first sign of it.
func StartingUp(starts []audit.Time, at tally.Span) bool {
	const before, after = 2 * time.Second, 30 * time.Second
	return slices.ContainsFunc(starts, func(start audit.Time) bool {
		return start.Add(-before) <= at.First && at.Last <= start.Add(after)
	})
}

// silentBefore returns the silence of the log before its API server started: the server was
// down then, or lines were lost. Silences shorter than two steps of the cover are not
// known.
func (l *logFacts) silentBefore(start audit.Time) (gap tally.Interval, ok bool) {
	for _, g := range l.Cover.Gaps(0) {
		if g.To <= start.Add(soonAfter) && start.Sub(g.To) <= startWithin {
			gap, ok = g, true
		}
	}
	return gap, ok
}

// LastBefore returns when the log's API server wrote its last event before a start. A
// request that was open then may have ended at any time until the start. It returns the
// start itself if no silence before it is known.
func (f *Facts) LastBefore(log string, start audit.Time) audit.Time {
	if gap, ok := f.Logs[log].silentBefore(start); ok {
		return min(gap.From, start)
	}
	return start
}

// startedAfter reports whether the log's API server started when a hole ended.
func (f *Facts) startedAfter(log string, hole tally.Interval) bool {
	return slices.ContainsFunc(f.Starts(log), func(start audit.Time) bool {
		gap, ok := f.Logs[log].silentBefore(start)
		return ok && gap == hole
	})
}

// soonAfter is how much later than the first sign of a start the log's silence may end:
// events stand in the log in the order of their ends.
const soonAfter = time.Second

// Stops returns the times at which the log's API server was asked to terminate and ended
// its own watches, in order. A server that is killed leaves no such trace.
func (f *Facts) Stops(log string) []audit.Time {
	l := f.Logs[log]
	if l == nil {
		return nil
	}
	return episodes(&l.Server, stopWithin,
		func(s *ownSigns) tally.Span { return s.Died }, func(s *ownSigns) bool { return s.Cut >= minCut },
		func(s *ownSigns) audit.Time { return s.Died.First })
}
