package browser_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// widths are a screen and a phone.
var widths = []int64{1280, 390}

var schemes = []string{"light", "dark"}

func scheme(name string) *emulation.MediaFeature {
	return &emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}
}

func TestAPageLoadsWithoutAComplaintOrARequest(t *testing.T) {
	for _, name := range logs {
		file := scan(t, name)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 1<<20 {
			t.Errorf("%s: the page has %d bytes, more than 1 MB", name, info.Size())
		}
		tb := newTab(t)
		for _, width := range widths {
			for _, s := range schemes {
				tb.show(file, width, scheme(s))
				tb.checkFits(name)
				tb.checkQuiet(file)
				tb.shoot(fmt.Sprintf("%.1s-%d-%s", name, width, s))
			}
		}
	}
}

// outside lists elements that stick out of the window, but for what scrolls in
// a frame of its own, names of lanes that are cut with dots, and the link that
// comes into view when it is focused.
const outside = `[...document.querySelectorAll("body *")]
	.filter(e => !e.closest(".scroll, .skip, .patterns, .name > *") && !e.closest("svg svg"))
	.filter(e => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.right > innerWidth + 1 || r.left < -1) })
	.map(e => e.tagName + "." + e.getAttribute("class") + " " + e.textContent.slice(0, 40))`

// checkFits is that nothing must be scrolled sideways, and that the style
// sheet is in force: without it nothing below would mean a thing.
func (tb *tab) checkFits(name string) {
	tb.t.Helper()
	if got := ask[string](tb, `getComputedStyle(document.querySelector("main")).maxWidth`); got != "1184px" {
		tb.t.Fatalf("%s: the style sheet is not in force: main is at most %s wide", name, got)
	}
	if ask[bool](tb, `document.documentElement.scrollWidth > innerWidth`) {
		tb.t.Errorf("%s: the page is wider than the window", name)
	}
	for _, element := range ask[[]string](tb, outside) {
		tb.t.Errorf("%s: %s sticks out", name, element)
	}
}

// A lane is what can be seen of a lane in the first picture.
type lane struct {
	Label  string
	Bars   int     // that are at least a pixel wide and high, with their stroke or edge
	Gaps   int     // between bars, that can be seen
	Left   float64 // where the first bar begins
	Right  float64
	Inside bool // all bars are in the window
}

const lanes = `[...document.querySelector(".drawing").querySelectorAll(".lane:has(a)")].map(l => {
	const bars = [...l.querySelectorAll("svg rect[class^=tone]")].filter(b => {
		const r = b.getBoundingClientRect(), s = getComputedStyle(b), edge = b.nextElementSibling?.getAttribute("class") === "edge";
		return r.height >= 1 && r.width + (edge ? 1.5 : 0) + (s.stroke === "none" ? 0 : parseFloat(s.strokeWidth)) >= 1;
	}).map(b => b.getBoundingClientRect());
	bars.sort((a, b) => a.left - b.left);
	let gaps = 0;
	for (let i = 1; i < bars.length; i++) if (bars[i].left > bars[i-1].right + 0.5) gaps++;
	return {label: l.querySelector("a").textContent, bars: bars.length, gaps,
		left: Math.min(...bars.map(r => r.left)), right: Math.max(...bars.map(r => r.right)),
		inside: bars.every(r => r.left >= -1 && r.right <= innerWidth + 2)};
})`

func TestTheStuckWatchAndTheFlappingEndpointsAreSeen(t *testing.T) {
	file := scan(t, "a-stuck-metadata-same")
	for _, width := range widths {
		tb := open(t, file, width)
		bars := map[string]lane{}
		for _, l := range ask[[]lane](tb, lanes) {
			bars[l.Label] = l
		}
		for label, least := range map[string]int{
			"system:kube-controller-manager": 40, "shop/endpoints/cart": 40, "shop/endpoints/checkout": 40, "shop/endpoints/db": 20,
		} {
			l := bars[label]
			if l.Bars < least || l.Gaps < least/2 || !l.Inside {
				t.Errorf("at %d pixels, the lane of %s shows %d bars and %d gaps (all inside: %v), want at least %d and %d",
					width, label, l.Bars, l.Gaps, l.Inside, least, least/2)
			}
			if share := (l.Right - l.Left) / float64(width); share < 0.4 {
				t.Errorf("at %d pixels, the lane of %s takes %.0f %% of the window", width, label, 100*share)
			}
		}
		if !ask[bool](tb, `document.querySelector("h1").getBoundingClientRect().bottom < innerHeight && document.querySelector("header .badge").getBoundingClientRect().bottom < innerHeight`) {
			t.Errorf("at %d pixels, the verdict is not on the first screen", width)
		}
	}
}

func TestSilentNodesAndDowntimeAreSeen(t *testing.T) {
	tb := open(t, scan(t, "d-heartbeat-gap"), 1280)
	if n := ask[int](tb, `document.querySelectorAll(".lane .tone-loss").length`); n < 13 {
		t.Errorf("%d of 13 silences are drawn", n)
	}
	// Beats are seen on both sides of the silences, but for the one that lasts.
	const beats = `[...document.querySelector(".drawing").querySelectorAll(".lane:has(.tone-loss)")].filter(l => {
		const loss = l.querySelector(".tone-loss").getBoundingClientRect();
		const alive = [...l.querySelectorAll(".tone-alive")].map(b => b.getBoundingClientRect()).filter(r => r.width > 20 && r.height >= 4 && r.height < loss.height);
		return alive.some(r => Math.abs(r.right - loss.left) < 2) && alive.some(r => Math.abs(r.left - loss.right) < 2);
	}).length`
	for _, width := range widths {
		tb := open(t, scan(t, "d-heartbeat-gap"), width)
		if n := ask[int](tb, beats); n != 12 {
			t.Errorf("at %d pixels, %d of 12 nodes are heard before their silence and after it", width, n)
		}
	}
	tb = open(t, scan(t, "h-ha-two-apiservers"), 390)
	if width := ask[float64](tb, `document.querySelector(".lane .band-restart").getBoundingClientRect().width`); width < 50 {
		t.Errorf("the minute until the restart is %.0f pixels wide", width)
	}
}

func TestPaperShowsAllEvidence(t *testing.T) {
	tb := open(t, scan(t, "a-stuck-metadata-same"), 794)
	ask[bool](tb, `document.querySelectorAll("details").forEach(d => d.open = false), true`)
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{scheme("dark")}})
	// What was folded away is shown with a later frame, not at once.
	lines, err := chromedp.Run(tb, chromedp.Poll[int](`(n => n >= 15 && n)([...document.querySelectorAll(".evidence li")].filter(e => e.checkVisibility({contentVisibilityAuto: true}) && e.getBoundingClientRect().height > 0).length)`))
	if err != nil {
		t.Fatalf("the evidence does not get on paper: %v", err)
	}
	t.Logf("%d lines of evidence are on paper", lines)
	if got := ask[string](tb, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s", got)
	}
	tb.shoot("a-print")
	pdf := call(tb, page.PrintToPDF, page.PrintToPDFParams{}).Data
	if len(pdf) < 1000 {
		t.Errorf("the PDF has %d bytes", len(pdf))
	}
}
