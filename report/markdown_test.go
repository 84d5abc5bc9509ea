package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"github.com/kaudit/kaudit/report"
)

func asMarkdown(t *testing.T, r *report.Report, o report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Markdown(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// rendered is what GitHub makes of a text: tables, and links where there is an
// address.
func rendered(t *testing.T, text string) string {
	t.Helper()
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// shape counts the elements of a document, without the code spans that keep a
// text harmless.
func shape(t *testing.T, text string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	eachElement(t, rendered(t, text), func(n *html.Node) {
		if n.Data != "code" {
			counts[n.Data]++
		}
	})
	return counts
}

func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	got := asMarkdown(t, withText(text), all)
	checkHarmless(t, "Markdown", got)
	if strings.TrimSpace(text) == "" {
		return // what is empty has no line
	}
	if diff := cmp.Diff(shape(t, asMarkdown(t, withText("plain"), all)), shape(t, got)); diff != "" {
		t.Errorf("%.60q changes the document (-plain +hostile):\n%s", text, diff)
	}
}

func TestADocumentHasTheSameShapeWhateverTheLogSays(t *testing.T) {
	for _, text := range append(hostile,
		"# heading", "> quote", "* item", "1. item", "[link](http://evil.example)", "![image](http://evil.example/x.png)", "a | b | c", `a \| b`, "`code`", "``",
		"www.evil.example", "http://evil.example", "mail@evil.example", "**bold** _it_ ~~gone~~", "<b>bold</b>", "&lt;b&gt;", "+++", "====", "\\", "```", "[ ] task", "| - |", "[^1]",
	) {
		checkMarkdown(t, text)
	}
}

func TestAMentionIsCode(t *testing.T) {
	got := asMarkdown(t, withText("see @admins and #12 in :rocket: org/repo#3 www.evil.example"), all)
	for _, want := range []string{"`@admins`", "`#12`", "`:rocket:`", "`org/repo#3`", "`www.evil.example`"} {
		if !strings.Contains(got, want) {
			t.Errorf("the document has no %s", want)
		}
	}
	if strings.Contains(rendered(t, got), "<a ") {
		t.Error("the document has a link")
	}
}

func TestACodeSpanHoldsWhatIsCopiedAndNoMore(t *testing.T) {
	for text, want := range map[string]string{
		"refused by system:serviceaccount:a:b: twice": "Refused by `system:serviceaccount:a:b`: twice",
		"at 2026-11-29T13:48:25Z: a restart":          "At 2026-11-29T13:48:25Z: a restart",
		"a:b: is no emoji":                            "`a:b`: is no emoji",
		"--min-severity info shows them":              "`--min-severity info` shows them",
		"--min-severity `x` shows them":               "`--min-severity` `` `x` `` shows them",
		"(`code`), it says":                           "(`` `code` ``), it says",
	} {
		got := asMarkdown(t, withText(text), all)
		if !strings.Contains(got, "\n### "+want+"\n") {
			t.Errorf("%q: the document has no heading %q", text, want)
		}
	}
}
