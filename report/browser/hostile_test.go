package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostile is what a client may call itself, or an object may be called.
var hostile = []string{
	`<script>window.pwned=1</script>`,
	`"><script>window.pwned=1</script>`,
	`' onmouseover='window.pwned=1' x='`,
	`"><img src=x onerror="window.pwned=1">`,
	`</style><script>window.pwned=1</script>`,
	`</title></svg><script>window.pwned=1</script>`,
	`<svg onload="window.pwned=1">`,
	`javascript:window.pwned=1`,
	`<a href="javascript:window.pwned=1">click</a>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>">`,
	`<link rel=stylesheet href=http://evil.example/x.css>`,
	`<meta http-equiv=refresh content="0;url=http://evil.example">`,
	`url(http://evil.example/x.png)`,
	`red;background:url(http://evil.example/x.png)`,
	`{{.Style}} {{template "card"}} ${window.pwned=1}`,
	"\u202egnp.exe \u2066isolated \u200bzero",
	"שלום مرحبا 日本語 😀",
	strings.Repeat("name-without-a-break", 512),
	strings.Repeat("many words ", 1024),
	"\x00\x1b[31m\x07\n\r\t",
}

// poison replaces every text of a saved report that a log decides.
func poison(v any, field string, next func() string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = poison(inner, name, next)
		}
	case []any:
		for i := range v {
			v[i] = poison(v[i], field, next)
		}
	case string:
		switch field {
		case "title", "summary", "source", "auditID", "user", "userAgent", "sourceIP", "resource", "namespace", "name", "subresource", "node",
			"cause", "remedy", "avoid", "proof", "text", "caveats", "label", "log", "format", "error", "errors", "why", "apiGroup", "version":
			return next()
		}
	}
	return v
}

func poisoned(t *testing.T, log string, text string) string {
	t.Helper()
	saved, err := exec.Command(kaudit, "scan", "-q", "-o", "json", filepath.Join("..", "..", "fixtures", log)).Output()
	if err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(saved, &report); err != nil {
		t.Fatal(err)
	}
	n := 0
	poison(report, "", func() string {
		if n++; text != "" {
			return text
		}
		return hostile[n%len(hostile)]
	})
	file := filepath.Join(t.TempDir(), "report.json")
	changed, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	return write(t, exec.Command(kaudit, "render", "-o", "html", "--min-severity", "info", "--min-confidence", "possible", file))
}

// injected tells what a page has that no template of ours makes.
const injected = `[
	...(window.pwned ? ["a script ran"] : []),
	...[...document.querySelectorAll("script, img, iframe, link, object, embed, form, base")].map(e => "an element " + e.tagName),
	...[...document.querySelectorAll("a")].filter(a => !a.getAttribute("href").startsWith("#")).map(a => "a link to " + a.getAttribute("href")),
	...[...document.querySelectorAll("*")].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith("on") || a.name === "style").map(a => "an attribute " + a.name),
]`

func (tb *tab) checkHarmless(name, file string) {
	tb.t.Helper()
	for _, what := range ask[[]string](tb, injected) {
		tb.t.Errorf("%s: there is %s", name, what)
	}
	tb.checkFits(name)
	tb.checkQuiet(file)
}

func TestAHostileLogRunsNoScriptAndBreaksNoLayout(t *testing.T) {
	for _, log := range []string{"a-stuck-metadata-same", "d-heartbeat-gap", "e-panic-generic-all"} {
		file := poisoned(t, log, "")
		for _, width := range widths {
			tb := open(t, file, width)
			// Scripts that wait for a pointer or a key wait for this.
			ask[bool](tb, `document.querySelectorAll("*").forEach(e => { for (const n of ["mouseover", "click", "focus", "load", "error"]) e.dispatchEvent(new Event(n)) }), true`)
			tb.checkHarmless(fmt.Sprintf("%s at %d", log, width), file)
			tb.shoot(fmt.Sprintf("hostile-%.1s-%d", log, width))
		}
	}
}

func TestEveryHostileTextIsHarmlessEverywhere(t *testing.T) {
	tb := newTab(t)
	for i, text := range hostile {
		file := poisoned(t, "d-heartbeat-gap", text)
		tb.show(file, 390)
		tb.checkHarmless(fmt.Sprintf("text %d", i), file)
	}
}

// TestThePolicyStopsWhatGetsPastEscaping puts a script into a page as an error
// in a template would: the browser must refuse it.
func TestThePolicyStopsWhatGetsPastEscaping(t *testing.T) {
	file := scan(t, "e-panic-generic-all")
	html, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(html), "</main>", `<script>window.pwned=1</script><img src="http://evil.example/x.png" onerror="window.pwned=1"><p style="position:fixed">x</p></main>`, 1)
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	tb := open(t, file, 1280)
	if ask[bool](tb, `window.pwned === 1`) {
		t.Error("a script ran")
	}
	if got := ask[string](tb, `getComputedStyle(document.querySelector("p[style]")).position`); got != "static" {
		t.Errorf("a style attribute was obeyed: position is %s", got)
	}
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if len(tb.complaints) == 0 {
		t.Error("the browser does not complain: the other tests' silence means nothing")
	}
}
