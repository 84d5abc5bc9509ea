package analysis

import (
	"math/bits"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Traffic is a kind of requests that every cluster makes all the time. A log in
// which the cluster is at work and that has none of them was written under an
// audit policy that leaves them out, or is a part of one.
type Traffic uint8

const (
	_           Traffic = iota
	Watches             // of anything
	Reads               // of anything: get, list and watch
	Heartbeats          // renewals of kubelets' Leases, and what they write of their nodes
	Marks               // heartbeats, or anything that controllers change: they mark nodes
	Leaders             // renewals of Leases that elect a leader
	CoreLeaders         // those of kube-controller-manager and kube-scheduler
	Endpoints           // writes of Endpoints or EndpointSlices
	Keepers             // those by the controllers that keep them, where there are others
)

// seenFacts count what tells which kinds of requests a log records at all.
type seenFacts struct {
	Watches    int64 `json:"watches,omitempty"`
	Reads      int64 `json:"reads,omitempty"` // of resources, watches too
	Heartbeats int64 `json:"heartbeats,omitempty"`
	Leaders    int64 `json:"leaders,omitempty"` // but for API servers' own
	Endpoints  int64 `json:"endpoints,omitempty"`
	Kept       int64 `json:"kept,omitempty"`     // of Endpoints, what controllers wrote
	Services   int64 `json:"services,omitempty"` // that were created
	Bound      int64 `json:"bound,omitempty"`    // pods, to nodes

	Kubelets    part `json:"kubelets"`
	Controllers part `json:"controllers"`
	Scheduler   part `json:"scheduler"`
	Server      part `json:"server"` // the API server itself
}

// A part is what one kind of the cluster's components asked.
type part struct {
	N       int64      `json:"n"`
	Changes int64      `json:"changes,omitempty"` // of what others see: see isUpkeep
	Leases  int64      `json:"leases,omitempty"`  // writes of leaders' Leases
	Who     uint64     `json:"who,omitempty"`     // a bit for each user
	Span    tally.Span `json:"span"`
}

func (p *part) merge(o *part) {
	p.N += o.N
	p.Changes += o.Changes
	p.Leases += o.Leases
	p.Who |= o.Who
	p.Span.Merge(o.Span)
}

func (s *seenFacts) merge(o *seenFacts) {
	s.Watches += o.Watches
	s.Reads += o.Reads
	s.Heartbeats += o.Heartbeats
	s.Leaders += o.Leaders
	s.Endpoints += o.Endpoints
	s.Services += o.Services
	s.Kept += o.Kept
	s.Bound += o.Bound
	s.Kubelets.merge(&o.Kubelets)
	s.Controllers.merge(&o.Controllers)
	s.Scheduler.merge(&o.Scheduler)
	s.Server.merge(&o.Server)
}

// role is which component a user is, as far as that matters.
type role uint8

const (
	roleUnknown role = iota // not looked at yet
	roleOther
	roleKubelet
	roleController
	roleScheduler
	roleServer
)

const (
	systemAccounts = "system:serviceaccount:kube-system:"
	userManager    = "system:kube-controller-manager"
	userScheduler  = "system:kube-scheduler"
	userServer     = "system:apiserver"
)

func roleOf(user string) role {
	switch {
	case strings.HasPrefix(user, audit.NodePrefix):
		return roleKubelet
	case user == userScheduler:
		return roleScheduler
	case user == userServer:
		return roleServer
	case user == userManager, strings.HasPrefix(user, systemAccounts) && strings.HasSuffix(user, "-controller"):
		return roleController
	}
	return roleOther
}

var (
	nsNodeLease = audit.Intern("kube-node-lease")
	resNodes    = audit.Intern("nodes")
	resPods     = audit.Intern("pods")
	resServices = audit.Intern("services")
	subBinding  = audit.Intern("binding")
	resEvents   = audit.Intern("events")
	resAccounts = audit.Intern("serviceaccounts")
	groupAuthn  = audit.Intern("authentication.k8s.io")
	groupAuthz  = audit.Intern("authorization.k8s.io")
)

// observe takes in an event of a row, which remembers who asks.
func (s *seenFacts) observe(e *audit.Event, row *row) {
	if row.role == roleUnknown {
		user := e.Actor().String()
		row.role, row.who = roleOf(user), 1<<(tally.Hash(user)&63)
	}
	p := s.part(row.role)
	if p != nil {
		p.N++
		p.Who |= row.who
		p.Span.Add(e.At)
	}
	switch {
	case e.Resource == (audit.Sym{}):
	case e.Verb == audit.VerbWatch:
		s.Watches++
		s.Reads++
	case e.Verb == audit.VerbGet, e.Verb == audit.VerbList:
		s.Reads++
	case e.IsWrite():
		s.observeWrite(e, p)
	}
}

func (s *seenFacts) part(r role) *part {
	switch r {
	case roleKubelet:
		return &s.Kubelets
	case roleController:
		return &s.Controllers
	case roleScheduler:
		return &s.Scheduler
	case roleServer:
		return &s.Server
	}
	return nil
}

// observeWrite counts attempts too: renewals that all fail are in the log.
func (s *seenFacts) observeWrite(e *audit.Event, p *part) {
	if e.Resource == resLeases && e.Group == scopeLeases.Group {
		switch {
		case e.Namespace == nsNodeLease:
			s.Heartbeats++
		case e.Verb != audit.VerbCreate && e.User != userAPIServer: // it is created once
			s.Leaders++
			if p != nil {
				p.Leases++
			}
		}
		return
	}
	if p != nil && e.Wrote() && !isUpkeep(e) {
		p.Changes++
	}
	made := e.Verb == audit.VerbCreate && e.Wrote()
	switch e.Resource {
	case resNodes:
		if p == &s.Kubelets {
			s.Heartbeats++
		}
	case resEndpoints, resSlices:
		s.Endpoints++
		if p == &s.Controllers {
			s.Kept++
		}
	case resServices:
		if made && e.Subresource == (audit.Sym{}) {
			s.Services++
		}
	case resPods:
		if made && e.Subresource == subBinding {
			s.Bound++
		}
	}
}

// isUpkeep reports whether a component writes for its own sake: Events, its
// account, and questions who somebody is and what they may.
func isUpkeep(e *audit.Event) bool {
	switch e.Resource {
	case resEvents, resAccounts:
		return true
	}
	return e.Group == groupAuthn || e.Group == groupAuthz
}

const (
	// Of a component with so many events, and for so long, what it does all the
	// time would be in the log: leaders renew their Leases every 2 s and kubelets
	// every 10 s.
	minSeen = 100
	seenFor = time.Minute
	// Services without any endpoints: one or two may have no selector.
	minMade = 3
	// Pods of which no controller takes notice: a few may be nobody's.
	minBound = 10
	// A component begins each of its watches anew in so long.
	rewatch = 10 * time.Minute
)

// busy reports whether a component would show what it does all the time.
func (p *part) busy() bool { return p.N >= minSeen && p.Span.Len() >= seenFor }

// watchers is for how long components were seen, all taken together. The
// controllers of one controller-manager share their watches.
func (s *seenFacts) watchers() time.Duration {
	return time.Duration(bits.OnesCount64(s.Kubelets.Who))*s.Kubelets.Span.Len() + s.Controllers.Span.Len() + s.Scheduler.Span.Len() + s.Server.Span.Len()
}

// busy reports whether any component is but the API server.
func (s *seenFacts) busy() bool { return s.Kubelets.busy() || s.led() }

// led reports whether components that elect a leader are.
func (s *seenFacts) led() bool { return s.Controllers.busy() || s.Scheduler.busy() }

// unserved reports whether Services are created for which no controller does
// anything, so that what controllers do is not in the log.
func (s *seenFacts) unserved() bool { return s.Services >= minMade && s.Kept == 0 }

// lacks says that a log has none of a kind of requests, though the cluster is at
// work in it, or "".
func (s *seenFacts) lacks(t Traffic) string {
	switch t {
	case Watches:
		if unread := s.lacks(Reads); unread != "" {
			return unread
		}
		if s.Watches == 0 && (s.busy() || s.Server.busy()) && s.watchers() >= rewatch {
			return "no watch is in this log, though components are that keep many"
		}
	case Reads:
		if s.Reads == 0 && (s.busy() || s.Server.busy()) {
			return "no read (get, list, watch) is in this log"
		}
	case Heartbeats:
		if s.Heartbeats == 0 && (s.busy() || s.unserved()) {
			return "no kubelet's heartbeat (Lease, node status) is in this log"
		}
	case Marks:
		if s.Controllers.Changes == 0 {
			return s.lacks(Heartbeats)
		}
	case Leaders:
		if s.Leaders == 0 && (s.led() || s.unserved()) {
			return "no renewal of a leader's Lease is in this log"
		}
	case CoreLeaders:
		if s.Leaders > 0 && s.Controllers.unled() && s.Scheduler.unled() {
			return "no renewal of the Leases of kube-controller-manager and kube-scheduler is in this log, though both are"
		}
	case Endpoints:
		if s.Endpoints == 0 && s.unserved() {
			return "no write of endpoints is in this log, though Services are created"
		}
		if s.Endpoints == 0 && s.Bound >= minBound && s.Controllers.Changes == 0 {
			return "nothing that controllers write is in this log, though pods are bound to nodes"
		}
	case Keepers:
		if s.Endpoints > 0 && s.unserved() {
			return "no controller's write of endpoints is in this log, though Services are created"
		}
	}
	return ""
}

func (p *part) unled() bool { return p.busy() && p.Leases == 0 }

// partly reports whether the policy leaves out what a kind of components writes:
// kubelets, of which not one renews its Lease, or controllers that do nothing but
// elect a leader.
func (s *seenFacts) partly() bool {
	return s.Heartbeats == 0 || s.Controllers.Leases > 0 && s.Controllers.Changes == 0
}
