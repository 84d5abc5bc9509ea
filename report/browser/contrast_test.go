package browser_test

import "testing"

// contrast lists texts with less contrast to what is behind them than WCAG 2
// asks for (4.5, and 3 for large text), and shapes with less than 3.
const contrast = `(() => {
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m };
	const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b) };
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) };
	const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c } return [255, 255, 255, 1] };
	const bad = [];
	const judge = (what, e, color, least) => { const got = ratio(parse(color), behind(e)); if (got < least) bad.push(what + " " + (e.getAttribute("class") || e.tagName) + ": " + got.toFixed(2)) };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.data.trim() || e.closest("title, style")) continue;
		const s = getComputedStyle(e);
		judge("text", e, e.closest("svg") ? s.fill : s.color, parseFloat(s.fontSize) >= 24 ? 3 : 4.5);
	}
	for (const e of document.querySelectorAll(".lane rect[class^=tone]")) {
		const s = getComputedStyle(e), beat = getComputedStyle(document.querySelector(".beat"));
		judge("shape", e, s.stroke !== "none" ? s.stroke : s.fill.startsWith("url") ? beat.fill : s.fill, 3);
	}
	return [...new Set(bad)];
})()`

func TestTextAndShapesStandOutInLightAndDark(t *testing.T) {
	for _, name := range logs {
		file := scan(t, name)
		backgrounds := map[string]string{}
		for _, s := range schemes {
			tb := open(t, file, 1280, scheme(s))
			for _, bad := range ask[[]string](tb, contrast) {
				t.Errorf("%s, %s: too little contrast: %s", name, s, bad)
			}
			backgrounds[s] = ask[string](tb, `getComputedStyle(document.body).backgroundColor`)
		}
		if backgrounds["light"] == backgrounds["dark"] {
			t.Errorf("%s: light and dark are the same", name)
		}
	}
}

func TestNoMeaningIsInColourAlone(t *testing.T) {
	tb := open(t, scan(t, "e-panic-generic-all"), 1280)
	for _, badge := range ask[[]string](tb, `[...document.querySelectorAll(".badge")].map(b => b.className.replace("badge sev-", "") + "=" + b.textContent)`) {
		if badge != "critical=critical" && badge != "warning=warning" && badge != "info=info" {
			t.Errorf("a badge does not say what its colour says: %s", badge)
		}
	}
	tb = open(t, scan(t, "b-hijacked-metadata-all"), 1280)
	if !ask[bool](tb, `(() => {
		const height = c => document.querySelector(".lane ." + c).getBoundingClientRect().height;
		return getComputedStyle(document.querySelector(".lane .tone-open")).fill.startsWith("url") && height("tone-activity") > 0;
	})()`) {
		t.Error("a session without end looks like one with an end, but for its colour")
	}
}
