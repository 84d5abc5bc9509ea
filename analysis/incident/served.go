package incident

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// began returns when what a root is about began. A finding about slow requests begins
// with the answer to the first of them.
func began(root *analysis.Finding) audit.Time {
	if root.Analyzer != "slow-request" {
		return root.First
	}
	return root.First.Add(-time.Duration(root.Details.Float("maxSeconds") * float64(time.Second)))
}

// sinceThen reports whether f began no earlier than lead before one of the roots.
func sinceThen(roots []*analysis.Finding, f *analysis.Finding) bool {
	return slices.ContainsFunc(roots, func(root *analysis.Finding) bool { return began(root) <= f.First.Add(lead) })
}

// servedWords returns the words of stories about writes that a webhook or etcd failed.
func servedWords(s *story) []string {
	why, cure := "etcd refused them", "Look at etcd's alarms and space (etcdctl alarm list, endpoint status): compact and defragment a full database, then disarm its alarm: until then it takes no writes."
	if name := s.roots[0].Details.Text("webhook"); name != "" {
		failed, look := "could not be called", "its Service and its certificate"
		if s.roots[0].Analyzer == "slow-request" {
			failed, look = "did not answer in time", "its pods, and at the network from the API server to them"
		}
		why = "the webhook " + name + " " + failed
		cure = "Delete the webhook's configuration, or set its failurePolicy to Ignore, so that the cluster works again; then look at " + look + ". " +
			"Exclude leases, nodes and kube-system from its rules: what starts the webhook must not depend on it."
	}
	return append([]string{"{why}", analysis.Plain(why), "{cure}", cure}, storageWords(s)...)
}
