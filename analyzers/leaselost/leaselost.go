// Package leaselost finds leader leases that were not renewed for so long that
// they were lost: taken over by another candidate, taken up again late, or left.
//
// A state holds what happened to one lease: when it was renewed, by which
// client, and which of a client's attempts failed. Bodies name the holder. At
// level Metadata the log does not, but only the holder writes: the others read.
// So a holder is a user at an address, and a name if there is one.
package leaselost

import (
	_ "embed"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optLease    = "lease"
	optMissed   = "missed"
	optRenewals = "renewals"
	optStopped  = "stopped"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "lease-lost",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optLease, Default: 15 * time.Second, NotZero: true, Doc: "How long a lease lasts if no body in the log says so: the default of client-go, controller-runtime and Kubernetes' own components."},
			{Name: optMissed, Default: 5.0, NotZero: true, Unit: "periods", Doc: "A lease that is renewed less often lasts this many of its own periods: leases last 3 to 7.5 (the default) periods."},
			{Name: optRenewals, Default: 5, Unit: "renewals", Doc: "The fewest renewals before a gap that show that somebody keeps the lease: fewer show no period."},
			{Name: optStopped, Default: 35 * time.Second, Doc: "A pod that was deleted up to this long before the last renewal may have been the holder: pods have 30 s to terminate, and go on renewing."},
		},
		Needs: analysis.Needs{User: true, Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Sees: analysis.Leaders, Parts: []analysis.Part{
			{Sees: analysis.CoreLeaders, Unseen: "that they lost theirs leaves no trace"},
		}},
		Wants: []audit.Class{
			audit.ClassComplete | audit.ClassPanic | audit.ClassNamed | audit.ClassWhole | audit.ClassCreate |
				audit.ClassUpdate | audit.ClassPatch | audit.ClassDelete,
			audit.ClassComplete | audit.ClassPanic | audit.ClassNamed | audit.ClassWhole | audit.ClassGet |
				audit.Class403 | audit.Class429 | audit.Class5xx, // see failed
		},
		Keys: keys,
		New:  func() analysis.State { return newState() },
	}
}

var (
	groupLeases   = audit.Intern("coordination.k8s.io")
	resLeases     = audit.Intern("leases")
	resEndpoints  = audit.Intern("endpoints")
	resConfigMaps = audit.Intern("configmaps")
	resPods       = audit.Intern("pods")
	nsNodeLeases  = audit.Intern("kube-node-lease")
	userAPIServer = audit.Intern("system:apiserver")
)

// keys takes writes of leases, and failed reads of them, since a candidate
// reads before it writes. Nodes' and API servers' leases are signs of life and
// not elections.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	switch e.Resource {
	case resLeases:
		if e.Group != groupLeases || e.Namespace == nsNodeLeases || e.User == userAPIServer {
			return keys
		}
	case resEndpoints, resConfigMaps:
		if e.Group != (audit.Sym{}) || e.Verb == audit.VerbDelete || !elects(e.UserAgent.String()) {
			return keys
		}
	default:
		return keys
	}
	if e.Began() == 0 {
		return keys
	}
	return append(keys, analysis.Key{Group: e.Group, Resource: e.Resource, Namespace: e.Namespace, Name: analysis.NameOf(e.Name)})
}

// elects reports whether a user agent is that of a leader election: the
// components of Kubernetes have a client of its own for it, and kept their locks
// in Endpoints or ConfigMaps before 1.20.
func elects(agent string) bool { return strings.HasSuffix(agent, "/leader-election") }

// failed reports whether a request for a lease came to nothing for no fault of
// the client's: an error of the server's, a refusal, or a permission that is gone.
// A conflict means that another client wrote, and is none.
func failed(e *audit.Event) bool {
	return e.Code >= 500 || e.Code == 429 || e.Code == 403
}
