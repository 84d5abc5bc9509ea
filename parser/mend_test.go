package parser

import (
	"strings"
	"testing"
)

// TestAnEventThatItsCarrierCutIsReadAsFarAsItGoes: Azure cuts a text at 16 KiB,
// and its record has a time.
func TestAnEventThatItsCarrierCutIsReadAsFarAsItGoes(t *testing.T) {
	aks := func(log string) string {
		return `{"category":"kube-audit","properties":{"log":` + quoted(log) + `,"pod":"p"},"time":"2026-01-05T09:00:00.1234567Z"}` + "\n"
	}
	body := strings.Index(full, `"requestObject"`) + 40
	for _, c := range []struct{ name, line, want string }{
		{"in a body", aks(full[:body]), "5f0c3b7e-0f53-4b38-9d0b-4a3b1f3e9d11 1"},
		{"behind the times", aks(full[:len(full)-20]), "5f0c3b7e-0f53-4b38-9d0b-4a3b1f3e9d11 1"},
		{"before the verb", aks(full[:150]), "truncated 1"},
		{"without a time", strings.Replace(aks(full[:body]), `,"time"`, `,"x"`, 1), "truncated 1"},
		{"by nobody who cuts", `{"msg":` + quoted(full[:body]) + `,"time":"2026-01-05T09:00:00Z"}` + "\n", "truncated 1"},
		{"as a torn line", criTime + " stdout F " + full[:body] + "\n", "truncated 1"},
	} {
		lines, _ := carried(t, c.line, 1<<20)
		got, _, _ := strings.Cut(strings.Join(lines, ","), " log=")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	got := told(t, aks(full[:body]))
	if want := "409 | Conflict |  | 2026-01-05T09:00:00.123456Z | audit.k8s.io/truncated=true\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end with %q", got, want)
	}
	if got := told(t, aks(full[:len(full)-20])); !strings.Contains(got, "2026-01-05T09:00:00.123456Z") && !strings.Contains(got, "13:48:35.000001Z | audit.k8s.io/truncated=true") {
		t.Errorf("an event cut behind its times lost them: %q", got)
	}
}
