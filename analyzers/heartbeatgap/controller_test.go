package heartbeatgap

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestOnlyTaintsOfSilentNodesCount(t *testing.T) {
	for _, c := range []struct {
		what, raw string
		want      int
	}{
		{"a log without bodies", `{"verb":"patch"}`, 1},
		{"a node that is not ready", `{"requestObject":{"spec":{"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}]}}}`, 1},
		{"a node that is not heard", `{"requestObject":{"spec":{"taints":[{"effect":"NoExecute","key":"node.kubernetes.io/unreachable"}]}}}`, 1},
		{"a node that was cordoned", `{"requestObject":{"spec":{"taints":[{"effect":"NoSchedule","key":"node.kubernetes.io/unschedulable"}]}}}`, 0},
		{
			"a node that was cordoned, with what it was answered",
			`{"requestObject":{"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable"}]}},"responseObject":{"spec":{"taints":[{"key":"node.kubernetes.io/not-ready"}]}}}`, 0,
		},
	} {
		s := newState()
		s.observeOther(&audit.Event{
			Stage: audit.StageResponseComplete, Verb: audit.VerbPatch, Code: 200, Received: 10, At: 20,
			User: audit.Intern(accountPrefix + nodeSuffix), Resource: audit.Intern("nodes"), Name: audit.View("node-1"), Raw: audit.View(c.raw),
		})
		if got := s.Tainted.Count(); got != c.want {
			t.Errorf("%s: %d taints, want %d", c.what, got, c.want)
		}
	}
}
