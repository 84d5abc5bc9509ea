package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/report"
)

func asHTML(t *testing.T, r *report.Report, o report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.HTML(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// all shows every finding.
var all = report.Options{MinSeverity: analysis.Info, MinConfidence: analysis.Possible}

// eachElement visits the elements of a page as a browser sees them.
func eachElement(t *testing.T, page string, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

// markup lists the elements of a page with the names of their attributes.
func markup(t *testing.T, page string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	eachElement(t, page, func(n *html.Node) {
		all[n.Data] = true
		for _, a := range n.Attr {
			all[n.Data+" "+a.Key] = true
		}
	})
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// checkPage is that a page has no markup but the template's, and leads nowhere
// but to itself.
func checkPage(t *testing.T, text string) {
	t.Helper()
	page := asHTML(t, withText(text), all)
	checkHarmless(t, "HTML", page)
	ours := markup(t, asHTML(t, withText("plain"), all))
	for name := range markup(t, page) {
		if !ours[name] {
			t.Errorf("%.60q makes markup: %s", text, name)
		}
	}
	eachElement(t, page, func(n *html.Node) {
		if href := attribute(n, "href"); n.Data == "a" && !strings.HasPrefix(href, "#") {
			t.Errorf("%.60q makes a link to %s", text, href)
		}
	})
}

func TestAPageHasNoMarkupOfTheLog(t *testing.T) {
	for _, text := range append(hostile,
		`"><script>alert(1)</script>`, `' onload='alert(1)`, `</style><script>alert(1)</script>`, `</title><img src=x onerror=alert(1)>`,
		"javascript:alert(1)", `</svg><script>alert(1)</script>`, `<svg onload=alert(1)>`, `url(http://evil.example)`, `{{.}}`, `]]><!--`, `&lt;b&gt;`,
	) {
		checkPage(t, text)
	}
}

func TestAPageAllowsItsOwnStyleAndNothingElse(t *testing.T) {
	policy, style := "", ""
	eachElement(t, asHTML(t, synthetic(), report.Options{}), func(n *html.Node) {
		switch {
		case n.Data == "meta" && attribute(n, "http-equiv") != "":
			policy = attribute(n, "content")
		case n.Data == "style":
			style = n.FirstChild.Data
		}
	})
	hash := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is %q, want %q", policy, want)
	}
}

func TestTheTargetOfEveryLinkIsOnThePage(t *testing.T) {
	ids, hrefs := map[string]int{}, map[string]bool{}
	eachElement(t, asHTML(t, synthetic(), all), func(n *html.Node) {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
		if n.Data == "a" {
			hrefs[strings.TrimPrefix(attribute(n, "href"), "#")] = true
		}
	})
	for id, n := range ids {
		if n > 1 {
			t.Errorf("the id %s is there %d times", id, n)
		}
	}
	for href := range hrefs {
		if ids[href] == 0 {
			t.Errorf("a link leads to #%s, which is not there", href)
		}
	}
}

func TestEveryPictureIsSpokenOrHidden(t *testing.T) {
	eachElement(t, asHTML(t, synthetic(), all), func(n *html.Node) {
		inner := n.Parent != nil && n.Parent.Data == "svg"
		if n.Data == "svg" && !inner && attribute(n, "aria-label") == "" && attribute(n, "aria-hidden") == "" {
			if attribute(n.Parent, "aria-hidden") == "" {
				t.Error("a picture has no name for those who do not see it")
			}
		}
	})
}

func TestAMomentIsDrawnToo(t *testing.T) {
	r := synthetic()
	r.Findings[0].Marks = []analysis.Mark{{Kind: "timeout", From: at(10), To: at(10), N: 1}}
	moments := 0
	eachElement(t, asHTML(t, r, all), func(n *html.Node) {
		if n.Data != "rect" || attribute(n, "class") != "tone-moment" || n.Parent.Parent.Data == "span" {
			return // not a bar, or in the legend
		}
		moments++
		if width := attribute(n, "width"); strings.HasPrefix(width, "0.00") {
			t.Errorf("the moment is %s wide, which SVG does not draw", width)
		}
	})
	if moments == 0 {
		t.Error("the page has no moment")
	}
}

func TestALaneSaysFirstWhatItIsAbout(t *testing.T) {
	r := synthetic()
	r.Findings[0].Subject.User = "system:serviceaccount:shop:cart"
	if page := asHTML(t, r, all); !strings.Contains(page, "<bdi>shop:cart</bdi></a> <small>services: ") {
		t.Error("no lane is that of shop:cart, about services")
	}
}

func TestLanesOfOneNameAreToldApart(t *testing.T) {
	r := synthetic()
	for i := range r.Findings {
		if r.Findings[i].Analyzer == "hijacked-latency" {
			other := r.Findings[i]
			other.ID, other.Subject.UserAgent = "hijacked-latency/0000000f", "Mozilla/5.0 grafana"
			r.Findings[i].Marks = []analysis.Mark{{Kind: "session", From: at(40), To: at(440), N: 1}}
			other.Marks = r.Findings[i].Marks
			r.Findings = append(r.Findings, other)
			break
		}
	}
	page := asHTML(t, r, all)
	for _, want := range []string{"shop/pods/web-0/exec by kubectl/v1.33.1: ", "shop/pods/web-0/exec by Mozilla/5.0: "} {
		if !strings.Contains(page, "<small>"+want) {
			t.Errorf("no lane is about %q", want)
		}
	}
}

func TestNoTwoLanesLookAlike(t *testing.T) {
	lanes := regexp.MustCompile(`<p class="name" title="([^"]*)"><a [^>]*><bdi>([^<]*)</bdi></a> <small>([^<]*)</small>`)
	const deep = "kube-system/leases.coordination.k8s.io/"
	many := analysis.Subject{Resource: analysis.AnyResource}
	lease := func(name string) analysis.Subject {
		return analysis.Subject{APIGroup: "coordination.k8s.io", Resource: "leases", Namespace: "kube-system", Name: name}
	}
	for _, c := range []struct {
		name     string
		subjects []analysis.Subject
		webhooks []string
		want     string // how the lanes are named
	}{
		{"two webhooks", []analysis.Subject{many, many}, []string{"labels.corp", "images.corp"}, "labels.corp|server-error images.corp|server-error"},
		{"two of one webhook", []analysis.Subject{many, many}, []string{"labels.corp", "labels.corp"}, "labels.corp|server-error, server-error/0 labels.corp|server-error, server-error/1"},
		{"two leases", []analysis.Subject{lease("kube-scheduler"), lease("kube-controller-manager")}, nil, "kube-system…n.k8s.io/kube-scheduler| kube-system…kube-controller-manager|"},
		{
			"names that differ in the middle",
			[]analysis.Subject{lease("the-operator-a-of-the-shop-in-the-cluster"), lease("the-operator-b-of-the-shop-in-the-cluster")},
			nil,
			"kube-system…the-shop-in-the-cluster|server-error/0 kube-system…the-shop-in-the-cluster|server-error/1",
		},
		{"a wide name", []analysis.Subject{lease("界界界界界界界界界界界界界界界界")}, nil, "kube-system…界界界界界界界界界界界|"},
	} {
		r := synthetic()
		r.Findings = nil
		for i, s := range c.subjects {
			f := analysis.Finding{
				ID: fmt.Sprintf("server-error/%d", i), Analyzer: "server-error", Severity: analysis.Warning, Confidence: analysis.Confirmed, Title: c.name,
				First: at(40), Last: at(440), Subject: s, Marks: []analysis.Mark{{Kind: "lapse", From: at(40), To: at(440), N: 1}}, Details: analysis.Details{},
			}
			if c.webhooks != nil {
				f.Details["webhook"] = c.webhooks[i]
			}
			r.Findings = append(r.Findings, f)
		}
		var got []string
		for _, lane := range lanes.FindAllStringSubmatch(asHTML(t, r, all), -1)[:len(c.subjects)] {
			about, _, _ := strings.Cut(lane[3], "1 lapse")
			got = append(got, lane[2]+"|"+strings.TrimSuffix(about, ": "))
			if strings.Contains(lane[2], "…") && !strings.HasPrefix(lane[1], deep) {
				t.Errorf("%s: the whole name of %s is %q", c.name, lane[2], lane[1])
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %s, want %s", c.name, text, c.want)
		}
	}
}

func TestATitleThatBeginsWithAUserKeepsItsName(t *testing.T) {
	if page := asHTML(t, synthetic(), all); strings.Contains(page, "Alice had") || !strings.Contains(page, "alice had 2 exec sessions") {
		t.Error("alice is Alice")
	}
}

func TestAPageWithNothingToShowSaysSo(t *testing.T) {
	for _, c := range []struct {
		r    report.Report
		want string
	}{
		{report.Report{}, "No audit event was read"},
		{report.Report{Input: report.Input{Events: 10}}, "Nothing found"},
	} {
		r := report.New(c.r, report.Options{})
		for form, got := range map[string]string{"HTML": asHTML(t, r, report.Options{}), "Markdown": asMarkdown(t, r, report.Options{})} {
			if !strings.Contains(got, c.want) {
				t.Errorf("%s does not say %q:\n%s", form, c.want, got)
			}
		}
	}
}

func TestAPageOfThousandsOfFindingsStaysSmall(t *testing.T) {
	var findings []analysis.Finding
	for range 5000 {
		f := longSession()
		f.Analyzer = "panic"
		f.Title = strings.Repeat("<&>\x1b", 1<<12)
		findings = append(findings, f)
	}
	r := report.New(report.Report{Input: report.Input{Events: 1, First: at(0), Last: at(500)}, Findings: findings}, report.Options{})
	for form, write := range map[string]func(io.Writer, *report.Report, report.Options) error{"HTML": report.HTML, "Markdown": report.Markdown} {
		var out bytes.Buffer
		if err := write(&out, r, all); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 2<<20 {
			t.Errorf("%s has %d bytes", form, out.Len())
		}
		if !strings.Contains(out.String(), "4900 more findings are left out here") {
			t.Errorf("%s does not say what it leaves out", form)
		}
	}
}

// TestAHeadlineBeginsAsASentence: but alice is not Alice.
func TestAHeadlineBeginsAsASentence(t *testing.T) {
	for title, want := range map[string]string{
		"what comes through 10.0.0.100 was cut off": "What comes through 10.0.0.100 was cut off",
		"an API server went away":                   "An API server went away",
		"alice is in a loop":                        "alice is in a loop",
	} {
		r := &report.Report{
			Input:     report.Input{Events: 1},
			Incidents: []incident.Incident{{Title: title, Severity: analysis.Critical, Confidence: analysis.Confirmed}},
		}
		for form, got := range map[string]string{"HTML": asHTML(t, r, report.Options{}), "Markdown": asMarkdown(t, r, report.Options{})} {
			if strings.Count(got, want) < 2 || want != title && strings.Contains(got, title) {
				t.Errorf("%s of %q: got\n%s", form, title, got)
			}
		}
	}
}

// TestMarksThatLookAlikeAreOneInTheLegend: two blue squares of two meanings tell
// nothing.
func TestMarksThatLookAlikeAreOneInTheLegend(t *testing.T) {
	f := longSession()
	f.Marks = []analysis.Mark{{Kind: "overdue", From: at(50), To: at(60), N: 1}, {Kind: "pile", From: at(70), To: at(80), N: 9}}
	r := report.New(report.Report{Input: report.Input{Events: 1, First: at(0), Last: at(100)}, Findings: []analysis.Finding{f}}, report.Options{})
	if got, want := asHTML(t, r, report.Options{}), "a watch beyond the time it asked for; many watches open at once"; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
}

func TestWhenANodeWasHeardIsToldBesideItsSilence(t *testing.T) {
	page, bars := asHTML(t, synthetic(), all), 0
	spoken := ""
	eachElement(t, page, func(n *html.Node) {
		switch {
		case attribute(n, "class") == "tone-alive" && n.FirstChild != nil && n.FirstChild.Data == "title":
			bars++
		case strings.HasPrefix(attribute(n, "aria-label"), "n1:"):
			spoken = attribute(n, "aria-label")
		}
	})
	const want = "n1: 1 silence, 12:01:40 to 12:02:50, 1m10s, heard 12:00:00 to 12:01:40 and 12:02:50 to 12:06:40"
	if bars != 2 || spoken != want || !strings.Contains(page, "> heartbeats and other signs of life</span>") {
		t.Errorf("%d bars, and %q is said of them; want %q", bars, spoken, want)
	}
	if row := "| n1 | `████▆··▁██████████▇·····` | 1 silence: 12:01:40 to 12:02:50 |"; !strings.Contains(asMarkdown(t, synthetic(), all), row) {
		t.Errorf("the document has no row %s:\n%s", row, asMarkdown(t, synthetic(), all))
	}
}

func TestSessionsOfWhichNoneEndedSaySo(t *testing.T) {
	r := synthetic()
	for i := range r.Findings {
		d := r.Findings[i].Details
		delete(d, "p50Seconds")
		delete(d, "p95Seconds")
		delete(d, "maxSeconds")
	}
	if page := asHTML(t, r, all); !strings.Contains(page, "<dd>none ended; one without an end was seen open for 7m10s</dd>") {
		t.Errorf("the page does not say that none ended:\n%s", page)
	}
}
