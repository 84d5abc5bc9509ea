package query_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// FuzzFilter compiles whatever may be typed, and asks it of whatever a log may
// hold. A value with a * fits what the expression that it stands for fits.
func FuzzFilter(f *testing.F) {
	for _, seed := range [][2]string{
		{"kubectl/*", "kubectl/v1.33.0"},
		{"!a*b*c", "abc"},
		{"/^x+$/", "xx"},
		{"*", ""},
		{"**", "a"},
		{"a*a", "a"},
		{"deploy.apps/scale", "deployments"},
		{"5xx", "500"},
		{"10.0.0.0/8", "10.1.1.1"},
		{"/(/", "("},
		{"!", "x"},
		{"a,b", "b"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, value, text string) {
		e := &audit.Event{
			User: audit.Intern(text), Resource: audit.Intern(text), Name: audit.View(text), Code: len(text),
			SourceIPs: []audit.Sym{audit.Intern(text)},
		}
		for _, filter := range []query.Filter{
			{Resources: []string{value}},
			{Codes: []string{value}},
			{SourceIPs: []string{value}},
			{Stages: []string{value}},
			{Verbs: []string{value}},
			{Names: []string{value}},
			{Levels: []string{value}},
		} {
			if condition, err := filter.Compile(); err == nil {
				condition.Matcher()(e)
			}
		}
		condition, err := query.Filter{Users: []string{value}}.Compile()
		if err != nil || !strings.Contains(value, "*") || strings.ContainsAny(value, "!/") || !utf8.ValidString(value+text) || text == "" {
			return
		}
		re := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(value), `\*`, `.*`) + `$`)
		if got, want := condition.Matcher()(e), re.MatchString(text); got != want {
			t.Errorf("%q fits %q: %t, want %t", value, text, got, want)
		}
	})
}
