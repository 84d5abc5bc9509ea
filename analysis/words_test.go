package analysis_test

import (
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

func TestTimes(t *testing.T) {
	for n, want := range map[int]string{1: "once", 2: "2 times"} {
		if got := analysis.Times(n); got != want {
			t.Errorf("Times(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 watch rounds", 1: "1 watch round", 2: "2 watch rounds"} {
		if got := analysis.Counted(n, "watch round"); got != want {
			t.Errorf("Counted(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1234 * time.Microsecond: "1ms", 999600 * time.Microsecond: "1s", 1250 * time.Millisecond: "1.3s",
		9960 * time.Millisecond: "10s", 30130 * time.Millisecond: "30s", 59960 * time.Millisecond: "1m0s", 322400 * time.Millisecond: "5m22s",
	} {
		if got := analysis.Short(d); got != want {
			t.Errorf("Short(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestFirstOf(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for most, want := range map[int]string{1: "a and 3 more", 3: "a, b, c and 1 more", 4: "a, b, c, d", 9: "a, b, c, d"} {
		if got := analysis.FirstOf(most, names); got != want {
			t.Errorf("FirstOf(%d, %q) = %q, want %q", most, names, got, want)
		}
	}
	if got := analysis.FirstOf(2, nil); got != "" {
		t.Errorf("FirstOf of no names = %q", got)
	}
}

func TestNamed(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for n, want := range []string{"", "a", "a and b", "a, b and c", "a, b, c and d", "a, b, c and 2 more"} {
		if got := analysis.Named(names[:n]); got != want {
			t.Errorf("Named(%q) = %q, want %q", names[:n], got, want)
		}
	}
}

func TestCommonLeavesWhatTwoSubjectsShare(t *testing.T) {
	a := analysis.Subject{User: "ci", UserAgent: "kubectl", SourceIP: "10.0.0.1", Resource: "pods", Namespace: "shop"}
	b := analysis.Subject{User: "ci", UserAgent: "kubectl", SourceIP: "10.0.0.2", Resource: "pods", Name: "web-0"}
	if got, want := a.Common(b), (analysis.Subject{User: "ci", UserAgent: "kubectl", Resource: "pods"}); got != want {
		t.Errorf("they share %+v, want %+v", got, want)
	}
}
