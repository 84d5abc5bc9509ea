package parser

import (
	"strings"
	"testing"
)

// TestWhatIsNoAuditLogIsNamed: who gives the wrong file learns which it is.
func TestWhatIsNoAuditLogIsNamed(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{carrierCases(t)["other-audits"]["input"], "Rancher's own API audit log"},
		{`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"b"}}`, "kube-audit-rest"},
		{`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Event","involvedObject":{"kind":"Pod"},"message":"Pulled"}]}`, "kubectl get events"},
		{"I0105 09:00:00.000000       1 server.go:1] \"Starting\"\n", "the own log of an API server or kubelet, which tells of requests at -v=3 and above"},
		{criTime + " stderr F I0105 09:00:00.000000       1 server.go:1] \"Starting\"\n", "the own log of an API server or kubelet, which tells of requests at -v=3 and above"},
		{criTime + " stdout F hello\n", "cri with something else"},
		{`{"level":"info","ts":1}`, "JSON of another kind"},
		{"hello\n", "text of another kind"},
	} {
		r := NewReader([]*Log{NewLog("f", strings.NewReader(c.input))}, Options{Ordered: true})
		var chunk Chunk
		var d Decoder
		var looks Shapes
		for r.Next(t.Context(), &chunk) == nil {
			for d.Reset(&chunk); d.Next(); {
				t.Errorf("%s: an event", c.input)
			}
			stats := d.Stats()
			looks |= stats.Looks
		}
		r.Close()
		if got := looks.Look(); !strings.Contains(got, c.want) {
			t.Errorf("%s: it looks like %q, want %q", c.input, got, c.want)
		}
	}
}
