package analysis

import (
	"math/bits"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Traffic is a kind of request that every working cluster makes all the time. If
// a log shows the cluster at work but has none of a kind, the audit policy leaves
// it out, or the log is a filtered part of one. Then analyzers that look for it
// (Needs.Sees) are blind.
type Traffic uint8

const (
	_           Traffic = iota
	Watches             // watches of any resource
	Reads               // get, list and watch of any resource
	Heartbeats          // kubelets' renewals of their Leases, and their writes of nodes
	Marks               // heartbeats, or any change by a controller: controllers mark silent nodes
	Leaders             // renewals of the Leases of leader election
	CoreLeaders         // renewals of those of kube-controller-manager and kube-scheduler
	Endpoints           // writes of Endpoints or EndpointSlices
	Keepers             // such writes by the endpoints controllers, in a log that has other writers'
)

// seenFacts count requests by kind, to tell which kinds the log records at all.
type seenFacts struct {
	Watches    int64 `json:"watches,omitempty"`
	Reads      int64 `json:"reads,omitempty"` // of resources, with watches
	Heartbeats int64 `json:"heartbeats,omitempty"`
	Leaders    int64 `json:"leaders,omitempty"`   // renewals of leaders' Leases, without API servers' own
	Endpoints  int64 `json:"endpoints,omitempty"` // writes of Endpoints and EndpointSlices
	Kept       int64 `json:"kept,omitempty"`      // of these, the controllers'
	Services   int64 `json:"services,omitempty"`  // Services created
	Bound      int64 `json:"bound,omitempty"`     // pods bound to a node

	Kubelets    part `json:"kubelets"`
	Controllers part `json:"controllers"`
	Scheduler   part `json:"scheduler"`
	Server      part `json:"server"` // the API server as its own client
}

// A part counts the requests of one kind of cluster component.
type part struct {
	N       int64      `json:"n"`                 // events
	Changes int64      `json:"changes,omitempty"` // successful writes that are not upkeep: see isUpkeep
	Leases  int64      `json:"leases,omitempty"`  // renewals of leaders' Leases
	Who     uint64     `json:"who,omitempty"`     // bit n is set if a user with hash n modulo 64 was seen
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

// role is the kind of component that a user is.
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

// observe takes in an event. Its row caches the role of the user.
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

// observeWrite counts a write. Failed renewals count too, since they show that
// the log records renewals.
func (s *seenFacts) observeWrite(e *audit.Event, p *part) {
	if e.Resource == resLeases && e.Group == scopeLeases.Group {
		switch {
		case e.Namespace == nsNodeLease:
			s.Heartbeats++
		case e.Verb != audit.VerbCreate && e.User != userAPIServer: // a create is no renewal
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

// isUpkeep reports whether a write changes nothing that the component is there
// for: Events, service accounts, and reviews of authentication and authorization.
func isUpkeep(e *audit.Event) bool {
	switch e.Resource {
	case resEvents, resAccounts:
		return true
	}
	return e.Group == groupAuthn || e.Group == groupAuthz
}

const (
	// A component with this many events over this long would have renewed its
	// Lease in the log: leaders do so every 2 s and kubelets every 10 s.
	minSeen = 100
	seenFor = time.Minute
	// With this many Services created, controllers must write endpoints: one or
	// two Services may have no selector.
	minMade = 3
	// With this many pods bound, controllers must write something: a few pods may
	// have no controller.
	minBound = 10
	// The longest that a client-go reflector keeps one watch request open (its
	// timeoutSeconds is 5 to 10 minutes).
	rewatch = 10 * time.Minute
)

// busy reports whether the log shows so much of a component that what it does all
// the time would be in it, too.
func (p *part) busy() bool { return p.N >= minSeen && p.Span.Len() >= seenFor }

// watchers returns for how long components that keep watches were seen, summed up
// over them. Controllers count once, since those of one controller-manager share
// their watches.
func (s *seenFacts) watchers() time.Duration {
	return time.Duration(bits.OnesCount64(s.Kubelets.Who))*s.Kubelets.Span.Len() + s.Controllers.Span.Len() + s.Scheduler.Span.Len() + s.Server.Span.Len()
}

// busy reports whether any component other than the API server is busy.
func (s *seenFacts) busy() bool { return s.Kubelets.busy() || s.led() }

// led reports whether a component that elects a leader is busy.
func (s *seenFacts) led() bool { return s.Controllers.busy() || s.Scheduler.busy() }

// unserved reports whether Services are created and no controller writes
// endpoints for them, so that controllers' writes are not in the log.
func (s *seenFacts) unserved() bool { return s.Services >= minMade && s.Kept == 0 }

// lacks returns a sentence if the log has none of a kind of request although it
// shows the cluster at work, else "".
func (s *seenFacts) lacks(t Traffic) string {
	switch t {
	case Watches:
		if unread := s.lacks(Reads); unread != "" {
			return unread
		}
		if s.Watches == 0 && (s.busy() || s.Server.busy()) && s.watchers() >= rewatch {
			return "no watch is in this log, though requests of components that keep many are"
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
			return "no renewal of the Leases of kube-controller-manager and kube-scheduler is in this log, though other requests of both are"
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

// unled reports whether a component is busy and never renews a leader's Lease.
func (p *part) unled() bool { return p.busy() && p.Leases == 0 }

// partly reports whether the log lacks a part of what components write: not one
// kubelet renews its Lease, or controllers do nothing but elect a leader.
func (s *seenFacts) partly() bool {
	return s.Heartbeats == 0 || s.Controllers.Leases > 0 && s.Controllers.Changes == 0
}
