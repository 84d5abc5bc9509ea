package servererror

import (
	"cmp"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// What says whom the API server calls, by resource and by the kind of failures that a
// change of it may begin.
var callers = map[string]audit.Sym{
	"validatingwebhookconfigurations": kindWebhook,
	"mutatingwebhookconfigurations":   kindWebhook,
	"customresourcedefinitions":       kindConversion,
	"apiservices":                     kindAggregated,
}

// kindChange is of states, and of findings that group takes in: writes of one of
// callers.
var kindChange = audit.Intern("change")

// detailChanges is where such a finding has its changes.
const detailChanges = "changes"

// changes reports whether e is a write of what says whom the API server calls.
// It depends on the event's row alone.
func changes(e *audit.Event) bool {
	_, is := callers[e.Resource.String()]
	return is && e.Subresource == (audit.Sym{}) && strings.HasSuffix(e.Group.String(), ".k8s.io")
}

// A Change is such a write.
type Change struct {
	At       audit.Time `json:"at"` // of its receipt
	Who      string     `json:"who"`
	Verb     string     `json:"verb"`
	Resource string     `json:"resource"`
	Name     string     `json:"name"`
	Ref      audit.Ref  `json:"ref"`
}

// Compare orders changes, the latest first.
func (c Change) Compare(o Change) int {
	return cmp.Or(cmp.Compare(o.At, c.At), c.Ref.Compare(o.Ref))
}

// maxChanges is how many changes are kept, the latest: few are made in a day.
const maxChanges = 64

func (s *State) observeChange(e *audit.Event) {
	began := e.Began()
	s.Changes.Offer(
		func(kept *Change) int {
			if began != kept.At {
				return cmp.Compare(kept.At, began)
			}
			return e.CompareRef(&kept.Ref)
		},
		func() Change {
			return Change{began, e.Actor().String(), e.Verb.String(), e.Resource.String(), string(e.Name), e.Ref()}
		},
	)
}

func (s *State) reportChanges(p *analysis.Pass) {
	if len(s.Changes.Items) > 0 {
		p.Report(analysis.Finding{
			Severity: analysis.Info, Confidence: analysis.Possible, Title: "changed", Count: 1, Subject: analysis.Subject{Resource: analysis.AnyResource},
			Details: analysis.Details{"kind": kindChange.String(), detailChanges: s.Changes.Items},
		})
	}
}

// soonAfter is how long after a change failures begin that it may have begun: what is
// guarded by a webhook is written all the time, and what is converted is read.
const soonAfter = time.Minute

// group tells of each failure what was changed just before it began.
func group(_ *analysis.Pass, findings []analysis.Finding) []analysis.Finding {
	var all []Change
	kept := findings[:0]
	for _, f := range findings {
		if made, is := f.Details[detailChanges].([]Change); is {
			all = append(all, made...)
			continue
		}
		kept = append(kept, f)
	}
	for i := range kept {
		tell(&kept[i], all)
	}
	return kept
}

// tell tells of the last of the changes that the failures of f may have begun with.
func tell(f *analysis.Finding, all []Change) {
	var last *Change
	for i := range all {
		c := &all[i]
		if since := f.First.Sub(c.At); since >= 0 && since <= soonAfter && c.concerns(f) && (last == nil || c.Compare(*last) < 0) {
			last = c
		}
	}
	if last == nil {
		return
	}
	what := analysis.Plain(last.Who + " " + past[last.Verb] + " " + last.Resource + " " + last.Name)
	f.Title += ", after " + what
	f.Details["change"] = what
	f.Evidence = append(f.Evidence, analysis.Cite(last.Ref)...)
}

// concerns reports whether a change may have to do with the failures of f: a CRD or an
// APIService is of a group, a webhook's configuration has a name of its own.
func (c *Change) concerns(f *analysis.Finding) bool {
	if callers[c.Resource].String() != f.Details.Text("kind") {
		return false
	}
	return f.Subject.APIGroup == "" || strings.HasSuffix(c.Name, "."+f.Subject.APIGroup)
}

var past = map[string]string{"create": "created", "update": "updated", "patch": "patched", "delete": "deleted"}
