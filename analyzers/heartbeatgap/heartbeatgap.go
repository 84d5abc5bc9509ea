// Package heartbeatgap finds nodes whose kubelets fall silent.
//
// A state holds one node's signs of life: in which steps of time there were
// any, and the first and the last of longer steps, so that the edges of a silence
// are known exactly. Group joins what fell silent together.
package heartbeatgap

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
	optGrace    = "grace"
	optBeats    = "beats"
	optTogether = "together"
	optPlanned  = "planned"
	optMarks    = "marks"
	optRhythm   = "rhythm"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "heartbeat-gap",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optGrace, Default: 40 * time.Second, NotZero: true, Doc: "The shortest silence that counts: node-monitor-grace-period, after which the node-controller marks a node NotReady."},
			{Name: optBeats, Default: 4, Unit: "beats", Doc: "A silence must be this many times as long as the node's mean time between heartbeats: a kubelet renews its lease four times before it expires."},
			{Name: optRhythm, Default: 10, Unit: "beats", Doc: "The fewest lease and status writes that show a node's rhythm: fewer are no more than a glimpse, as in an excerpt."},
			{Name: optTogether, Default: 15 * time.Second, Doc: "Silences that begin within this time of each other have one cause: heartbeats are ten seconds apart, and a few seconds late."},
			{Name: optPlanned, Default: 10 * time.Minute, Doc: "A node that somebody patched this long before its silence, or less, may have been drained: draining waits for pods to end."},
			{Name: optMarks, Default: 4, Unit: "writes", Doc: "The fewest status writes by the node-controller to report for a node that sends heartbeats: the node went NotReady and back twice."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, User: true, Sees: analysis.Marks, Parts: []analysis.Part{
			{Sees: analysis.Heartbeats, Unseen: "a silent node shows only in what controllers write of it"},
		}},
		Wants: []audit.Class{
			audit.ClassNode,
			audit.ClassComplete | audit.ClassWhole | audit.ClassStatus | audit.ClassNamed | audit.ClassCreate |
				audit.ClassUpdate | audit.ClassPatch | audit.ClassDelete | audit.ClassDeleteCollection,
			audit.ClassComplete | audit.ClassSubresource | audit.ClassNamed | audit.ClassCreate | audit.ClassWrote, // evictions
		},
		RowKeys: []audit.Class{audit.ClassNode},
		Keys:    keys,
		New:     func() analysis.State { return newState() },
		Group:   group,
	}
}

// userPrefix begins the user of every kubelet that the Node authorizer knows.
const userPrefix = "system:node:"

var (
	resNodes   = audit.Intern("nodes")
	resPods    = audit.Intern("pods")
	resLeases  = audit.Intern("leases")
	nsLeases   = audit.Intern("kube-node-lease")
	nsSystem   = audit.Intern("kube-system")
	groupLease = audit.Intern("coordination.k8s.io")

	subEviction = audit.Intern("eviction")

	kindEvictions = audit.Intern("evictions") // one state, of the pods of all nodes
)

// keys takes all that kubelets ask, what others write of nodes and of their
// leases, and the pods that are evicted.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if node, ok := strings.CutPrefix(e.User.String(), userPrefix); ok {
		if node == "" || e.At == 0 {
			return keys
		}
		return append(keys, analysis.Key{Name: node})
	}
	if !e.IsWrite() || len(e.Name) == 0 || e.Stage != audit.StageResponseComplete || e.At == 0 {
		return keys
	}
	switch e.Resource {
	case resPods:
		if e.Subresource == subEviction || e.Subresource == (audit.Sym{}) && e.Verb == audit.VerbDelete && evicts(e) {
			return append(keys, analysis.Key{Kind: kindEvictions})
		}
		return keys
	case resLeases:
		if e.Namespace != nsLeases || e.Group != groupLease || e.Verb == audit.VerbDelete {
			return keys
		}
	case resNodes:
		if e.Group != (audit.Sym{}) || e.Subresource != (audit.Sym{}) && e.Subresource != audit.SubStatus {
			return keys
		}
	default:
		return keys
	}
	return append(keys, analysis.Key{Name: analysis.NameOf(e.Name)})
}
