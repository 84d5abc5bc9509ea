package driver_test

import (
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/parser"
)

// TestASourceHasTheLabelsOfItsLines: what carriers say of whose they are.
func TestASourceHasTheLabelsOfItsLines(t *testing.T) {
	const event = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete","requestURI":"/","verb":"get","stageTimestamp":"2026-01-05T09:00:00.000000Z"}` + "\n"
	const klog = `I0105 09:30:00.123456       1 httplog.go:132] "HTTP" verb="GET" URI="/" latency="1ms" audit-ID="b" resp=200` + "\n"
	for text, want := range map[string]string{
		event: "",
		"[pod/b/c] " + event + "[pod/a/c] " + event + "[pod/b/c] " + event: "a, b",
		"cp1 " + klog: "cp1",
	} {
		r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("x#y", strings.NewReader(text))}, driver.Options{Workers: 1})
		if got := r.Input.Sources[0].Label; got != want {
			t.Errorf("got %q, want %q of %s", got, want, text)
		}
	}
}
