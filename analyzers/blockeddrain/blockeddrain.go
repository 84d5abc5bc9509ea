// Package blockeddrain finds pods whose eviction a PodDisruptionBudget refuses again and
// again, so that the drain of a node goes no further.
//
// A state holds the evictions of one pod. What others did that bears on them, deletions of
// pods and writes of nodes, has states of its own, which group brings together.
package blockeddrain

import (
	"bytes"
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optLong  = "long"
	optLeast = "least"
	optRetry = "retry"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "blocked-drain",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optLong, Default: 10 * time.Minute, Doc: "A pod that was refused for so long is a warning: a budget that allows a pod at a time lets go of it once another one is ready, which takes minutes."},
			{Name: optLeast, Default: 2 * time.Minute, Doc: "What went through sooner is not told: drains wait for each other's pods."},
			{Name: optRetry, Default: 30 * time.Second, NotZero: true, Doc: "Who waits for a drain asks again sooner, on average; kubectl does after 5s. What comes back more seldom rebalances or resizes pods, and can wait."},
		},
		Needs:   analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}},
		Wants:   []audit.Class{evictions, deletions, changes},
		RowKeys: []audit.Class{deletions, changes},
		Keys:    keys,
		New:     func() analysis.State { return newState() },
		Group:   group,
	}
}

// The events that count: evictions, and deletions of pods and writes of nodes that took
// effect, but for those by kubelets.
const (
	evictions = audit.ClassComplete | audit.ClassCreate | audit.ClassSubresource | audit.ClassNamed | audit.ClassOK | audit.Class404 | audit.Class429
	deletions = audit.ClassWrote | audit.ClassDelete | audit.ClassWhole | audit.ClassNamed | audit.ClassNoNode
	changes   = audit.ClassWrote | audit.ClassUpdate | audit.ClassPatch | audit.ClassWhole | audit.ClassNamed | audit.ClassNoNode
)

var (
	subEviction   = audit.Intern("eviction")
	resourcePods  = audit.Intern("pods")
	resourceNodes = audit.Intern("nodes")
	groupCore     = audit.Sym{}

	// The kinds of states.
	kindEviction = audit.Intern("eviction")
	kindDeletion = audit.Intern("deletion") // one state, of all pods
	kindNode     = audit.Intern("node")     // of the nodes that one user wrote
)

// keys tells evictions apart by pod.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	switch {
	case e.Group != groupCore:
	case e.Subresource == subEviction:
		if e.Resource == resourcePods && (e.Code != 429 || refused(e)) {
			return append(keys, analysis.Key{Kind: kindEviction, Namespace: e.Namespace, Name: analysis.NameOf(e.Name)})
		}
	case e.Verb == audit.VerbDelete:
		if e.Resource == resourcePods {
			return append(keys, analysis.Key{Kind: kindDeletion})
		}
	case e.Resource == resourceNodes:
		return append(keys, analysis.Key{Kind: kindNode, User: e.Actor()})
	}
	return keys
}

// What the API server says where a budget forbids an eviction: kubernetes
// pkg/registry/core/pod/storage/eviction.go. A server that is too busy answers 429 without
// a message.
var (
	textBudget = []byte("disruption budget")
	textCause  = []byte(`"The disruption budget `)
	keyMessage = []byte(`"message"`)
)

// refused reports whether a budget refused an eviction that was answered 429.
func refused(e *audit.Event) bool { return bytes.Contains(e.Message, textBudget) }

// maxName is how long the name of a budget can be.
const maxName = 253

// blanks are what may stand between a name and its value in JSON.
const blanks = " \t\r\n"

// budget returns the name of the budget that refused an eviction, which stands in a message
// of the status's details only; nil if it is not there.
func budget(e *audit.Event) []byte {
	for rest := []byte(e.Raw); ; {
		before, after, found := bytes.Cut(rest, textCause)
		if !found {
			return nil
		}
		rest = after
		key, colon := bytes.CutSuffix(bytes.TrimRight(before, blanks), []byte(":"))
		if !colon || !bytes.HasSuffix(bytes.TrimRight(key, blanks), keyMessage) {
			continue
		}
		name, _, spaced := bytes.Cut(rest[:min(len(rest), maxName+1)], []byte(" "))
		if !spaced || bytes.ContainsAny(name, `"\`) {
			return nil
		}
		return name
	}
}
