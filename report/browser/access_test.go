package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const focusable = `document.querySelectorAll("a[href], summary, [tabindex='0']").length`

func TestTheKeyboardReachesEverything(t *testing.T) {
	tb := open(t, scan(t, "a-stuck-metadata-same"), 1280)
	want := ask[int](tb, focusable)
	ask[bool](tb, `window.reached = new Set(), document.addEventListener("focusin", e => reached.add(e.target)), true`)
	tb.do(chromedp.KeyEvent(kb.Tab))
	if !ask[bool](tb, `document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().left >= 0`) {
		t.Error("the first stop is not the link past the header, in view")
	}
	for range want - 1 {
		tb.do(chromedp.KeyEvent(kb.Tab))
	}
	if got := ask[int](tb, `reached.size`); got != want {
		t.Errorf("the tab key reaches %d of %d links and parts", got, want)
	}
	if !ask[bool](tb, `document.activeElement.matches(":focus-visible") && getComputedStyle(document.activeElement).outlineStyle === "solid"`) {
		t.Error("what has the focus does not show it")
	}
}

func TestAVerdictLeadsToItsProof(t *testing.T) {
	tb := open(t, scan(t, "e-panic-generic-all"), 1280)
	tb.do(chromedp.Focus(chromedp.CSS(".verdicts a")), chromedp.KeyEvent(kb.Enter))
	if !ask[bool](tb, `location.hash !== "" && Math.abs(document.querySelector(location.hash).getBoundingClientRect().top) < innerHeight`) {
		t.Error("the enter key on a verdict does not lead to it")
	}
}

func TestAClickSelectsAPlaceWhole(t *testing.T) {
	tb := open(t, scan(t, "a-stuck-metadata-same"), 1280)
	tb.do(chromedp.ScrollIntoView(chromedp.CSS(".place")), chromedp.Click(chromedp.CSS(".place")))
	want := ask[string](tb, `document.querySelector(".place").textContent`)
	if got := ask[string](tb, `getSelection().toString()`); got != want || !strings.Contains(got, "audit.log.gz:") {
		t.Errorf("a click selects %q, want %q", got, want)
	}
}

// TestAScreenReaderHearsThePage asks for the tree that the browser makes for
// screen readers.
func TestAScreenReaderHearsThePage(t *testing.T) {
	for _, name := range logs {
		tb := open(t, scan(t, name), 1280)
		call(tb, accessibility.Enable, cdp.Empty{})
		nodes := call(tb, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
		roles := map[string]int{}
		for _, n := range nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			role := text(n.Role)
			roles[role]++
			switch role {
			case "image", "img", "link", "heading", "region", "article", "table", "DisclosureTriangle":
				if needsName(role) && strings.TrimSpace(text(n.Name)) == "" {
					t.Errorf("%s: a %s has no name", name, role)
				}
			}
		}
		for _, role := range []string{"main", "banner", "contentinfo", "heading", "image", "link"} {
			if roles[role] == 0 {
				t.Errorf("%s: there is no %s: %v", name, role, roles)
			}
		}
		if n := ask[int](tb, `document.querySelectorAll("h1").length`); n != 1 {
			t.Errorf("%s: there are %d titles", name, n)
		}
	}
}

// needsName reports whether a role means nothing without a name.
func needsName(role string) bool { return role != "table" }

func text(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	return strings.Trim(string(v.Value), `"`)
}
