package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxFindings is how many findings of an analyzer a report has at most. Nobody
// reads more, and a hostile log could make one of each of its lines.
const maxFindings = 1000

// keepWorst returns the worst maxFindings by severity, confidence and count, then in
// canonical order, so that which are kept depends on nothing but the findings.
func keepWorst(found []Finding) []Finding {
	if len(found) <= maxFindings {
		return found
	}
	slices.SortStableFunc(found, func(f, g Finding) int {
		return cmp.Or(
			cmp.Compare(g.Severity.Rank(), f.Severity.Rank()),
			cmp.Compare(g.Confidence.Rank(), f.Confidence.Rank()),
			cmp.Compare(g.Count, f.Count),
			f.Compare(&g),
		)
	})
	return found[:maxFindings]
}

// maxText is how many bytes of a text from the log a finding has at most. The API
// server cuts user agents at 1024 bytes, and names have at most 253; a path may be
// longer.
const maxText = 4 << 10

// bound cuts texts of a finding that are longer than any in an honest log.
func (f *Finding) bound() {
	s := &f.Subject
	for _, text := range []*string{
		&f.Title, &s.User, &s.UserAgent, &s.SourceIP, &s.APIGroup, &s.Resource, &s.Subresource, &s.Namespace, &s.Name, &s.Node,
	} {
		*text = cut(*text)
	}
	for name, value := range f.Details {
		f.Details[name] = boundValue(value)
	}
	for i := range f.Evidence {
		e := &f.Evidence[i]
		e.AuditID, e.Summary = cut(e.AuditID), cut(e.Summary)
	}
	for i := range f.Caveats {
		f.Caveats[i] = cut(f.Caveats[i])
	}
}

func boundValue(value any) any {
	switch v := value.(type) {
	case string:
		return cut(v)
	case []string:
		for i := range v {
			v[i] = cut(v[i])
		}
	case []any:
		for i := range v {
			v[i] = boundValue(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = boundValue(v[name])
		}
	}
	return value
}

// cut cuts a text that is too long, between two characters.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s...[%d bytes left out]", strings.Clone(s[:end]), len(s)-end)
}
