// Package incident makes one story, with one cause and one remedy, of findings that
// belong together, whether they come from several analyzers or from one. [Find] does so:
//
//	findings -> rules -> incidents, and the findings' Related and some details
//
// It looks at nothing but the findings' subjects, details, times and marks, so that it
// works on those of a saved report too.
//
// The rules are data, in rules.go: which findings can be the cause, which can follow
// from it, how the two are known to belong together, and what to tell a reader.
//
// # Marks
//
// Rules, and the pictures of a report, rely on what analyzers mark:
//
//	stuck-watch       round    a watch from the resourceVersion in question: received to ended
//	endpoint-flap     outage   a deletion to the creation after it, or to the log's end
//	hijacked-latency  session  a connection that was taken over: received to ended
//	                  open     one that never ended: received to the log's end or the restart
//	heartbeat-gap     gap      the last sign of life to the next one, or to the log's end
//	request-timeout   timeout  the end of one that the server or etcd gave up, or a step of time with several
//	lease-lost        lapse    the last renewal to the next one, or to the log's end
//	any other         kinds of its own, described in its doc.md
//
// From is always set; To is zero where no end is known. A mark with N above 1
// stands for N neighbours: From is the first one's, To the last one's.
//
// The user and the source IP of an endpoint-flap's subject are those of the client that
// deleted the object.
package incident

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// An Incident is the story of one or more findings, with its cause and its remedy.
type Incident struct {
	ID         string              `json:"id"` // made of the rule and of the ids of the findings that are the cause
	Title      string              `json:"title"`
	Severity   analysis.Severity   `json:"severity"`   // the worst of its findings
	Confidence analysis.Confidence `json:"confidence"` // how sure the cause is
	Findings   []string            `json:"findings"`   // ids, the cause first

	Cause    string  `json:"cause"`
	Remedy   string  `json:"remedy"`
	Avoid    string  `json:"avoid"` // what seems an obvious remedy and does not help
	Proof    string  `json:"proof"` // what would settle it
	Timeline []Event `json:"timeline"`

	First audit.Time `json:"first"`
	Last  audit.Time `json:"last"`
}

// An Event is one line of a timeline.
type Event struct {
	Time audit.Time `json:"time"`
	Text string     `json:"text"`
}

// Rules returns the names of the rules: an incident's id is RULE/HASH.
func Rules() []string {
	names := make([]string, len(rules))
	for i := range rules {
		names[i] = rules[i].name
	}
	return names
}

// maxTimeline is how many lines a timeline has at most.
const maxTimeline = 5

// Find returns the incidents that the findings add up to, the worst first. The findings
// must be in canonical order ([analysis.Finding.Compare]). Find sets their Related, and
// the details that rules count, such as afterWatchRound; a second call changes nothing.
//
// Events before since were left out, zero if none were. A finding may begin earlier, as
// the silence of a node does that still lasts then; what caused it has nothing of itself
// but what is left, and need not have begun before it.
func Find(findings []analysis.Finding, since audit.Time) []Incident {
	incidents := []Incident{}
	taken := map[string]bool{}
	for i := range rules {
		found := slices.DeleteFunc(rules[i].find(findings, taken, since), func(in Incident) bool { return isPartOf(&in, incidents) })
		for _, in := range found {
			for _, id := range in.Findings {
				taken[id] = true
			}
		}
		incidents = append(incidents, found...)
	}
	slices.SortFunc(incidents, compare)
	return incidents
}

// isPartOf reports whether another incident, found by an earlier rule, has all findings
// of this one: then it tells less of the same story.
func isPartOf(in *Incident, others []Incident) bool {
	return slices.ContainsFunc(others, func(other Incident) bool {
		return !slices.ContainsFunc(in.Findings, func(id string) bool { return !slices.Contains(other.Findings, id) })
	})
}

// compare orders incidents worst first, then surest, then earliest.
func compare(a, b Incident) int {
	return cmp.Or(
		cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
		cmp.Compare(b.Confidence.Rank(), a.Confidence.Rank()),
		cmp.Compare(a.First, b.First),
		strings.Compare(a.ID, b.ID),
	)
}

// name sets the incident's id, which is the same in every log with the same cause.
func (in *Incident) name(rule string, roots []*analysis.Finding) {
	h := fnv.New32a()
	for _, f := range roots {
		h.Write([]byte(f.ID))
		h.Write([]byte{0})
	}
	in.ID = fmt.Sprintf("%s/%08x", rule, h.Sum32())
}
