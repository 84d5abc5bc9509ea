package report_test

import (
	"testing"

	"github.com/kaudit/kaudit/report"
)

func TestLinesFoldBetweenWords(t *testing.T) {
	const text = "alice deleted shop/pods/web-0 in a/very/long/directory/audit.log.gz:17  [2 times]"
	for width, want := range map[int]string{
		0:   text,
		20:  text, // there is no room
		100: text,
		34:  "alice deleted shop/pods/web-0\n    in\n    a/very/long/directory/audit.log.gz:17\n    [2 times]",
		60:  "alice deleted shop/pods/web-0 in\n    a/very/long/directory/audit.log.gz:17  [2 times]",
	} {
		look := report.Look{Width: width}
		if got := look.Fold(text, 4, look.Dim); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}

// Wide characters take two columns, and what combines with others takes none.
func TestLinesFoldByColumns(t *testing.T) {
	look := report.Look{Width: 24}
	for text, want := range map[string]string{
		"名前名前名前 名前名前名前":                                         "名前名前名前\n    名前名前名前",
		"u\u0308u\u0308u\u0308u\u0308u\u0308u\u0308 abcdefghij": "u\u0308u\u0308u\u0308u\u0308u\u0308u\u0308 abcdefghij",
	} {
		if got := look.Fold(text, 4, look.Dim); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got, want := look.Break("名前名前名前名前名前名前", 4, look.Dim), "名前名前名前名前名前\n    名前"; got != want {
		t.Errorf("broken: got %q, want %q", got, want)
	}
}

func TestLinesOfATableBreakInWordsToo(t *testing.T) {
	const text = "by system:serviceaccount:kube-system:node-controller kube-system/leases.coordination.k8s.io/kcm ok"
	const want = "by\n    system:serviceaccount\n    :kube-system:node-\n    controller\n    kube-system/\n    leases.coordination.k\n    8s.io/kcm ok"
	look := report.Look{Width: 25}
	if got := look.Break(text, 4, look.Dim); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (report.Look{}).Break(text, 4, look.Dim); got != text {
		t.Errorf("without a width: %q", got)
	}
}

func TestColoursHaveMeaning(t *testing.T) {
	for _, c := range []struct {
		code     int
		panicked bool
		want     string
	}{
		{200, false, "x"}, {403, false, "\x1b[33mx\x1b[0m"}, {404, false, "\x1b[31mx\x1b[0m"}, {500, true, "\x1b[1;31mx\x1b[0m"},
	} {
		if got := (report.Look{Color: true}).Outcome(c.code, c.panicked, "x"); got != c.want {
			t.Errorf("%d: got %q, want %q", c.code, got, c.want)
		}
		if got := (report.Look{}).Outcome(c.code, c.panicked, "x"); got != "x" {
			t.Errorf("%d: got %q without colours", c.code, got)
		}
	}
}
