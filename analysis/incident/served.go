package incident

import (
	"github.com/kaudit/kaudit/analysis"
)

// sinceThen reports whether f began no earlier than lead before one of the roots.
func sinceThen(roots []*analysis.Finding, f *analysis.Finding) bool {
	for _, root := range roots {
		if root.First <= f.First.Add(lead) {
			return true
		}
	}
	return false
}

// servedWords returns the words of stories about writes that a webhook or etcd failed.
func servedWords(s *story) []string {
	why, cure := "etcd refused them", "Look at etcd's alarms and space (etcdctl alarm list, endpoint status): a full database must be compacted, defragmented and its alarm disarmed before it takes writes again."
	if root := s.roots[0]; root.Details.Text("kind") == "webhook" {
		why = "the webhook " + root.Details.Text("webhook") + " could not be called"
		cure = "Delete the webhook's configuration, or set its failurePolicy to Ignore, so that the cluster works again; then look at its Service and its certificate. " +
			"Keep its rules off leases, nodes and kube-system: what starts the webhook must not need it."
	}
	return append([]string{"{why}", analysis.Plain(why), "{cure}", cure}, storageWords(s)...)
}
