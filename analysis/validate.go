package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Validate checks analyzers against the contract: names, documents, options.
// It is for tests and for the list of analyzers.
func Validate(analyzers []*Analyzer) error {
	seen := map[string]bool{}
	for _, a := range analyzers {
		switch {
		case a.Name == "" || strings.ToLower(a.Name) != a.Name || strings.ContainsAny(a.Name, " ._"):
			return fmt.Errorf("analyzer %q: the name must be kebab-case", a.Name)
		case seen[a.Name]:
			return fmt.Errorf("analyzer %q: there are two", a.Name)
		case !strings.HasPrefix(a.Doc, "# "+a.Name+": "):
			return fmt.Errorf("analyzer %q: doc.md must begin with %q", a.Name, "# "+a.Name+": ")
		case a.Keys == nil || a.New == nil:
			return fmt.Errorf("analyzer %q: Keys and New must be set", a.Name)
		}
		seen[a.Name] = true
		options := slices.Clone(a.Options)
		slices.SortFunc(options, func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
		for i, o := range options {
			if i > 0 && options[i-1].Name == o.Name {
				return fmt.Errorf("analyzer %q: there are two options %q", a.Name, o.Name)
			}
			if o.Doc == "" {
				return fmt.Errorf("analyzer %q: option %q has no doc", a.Name, o.Name)
			}
			if _, err := o.Parse(fmt.Sprint(o.Default)); err != nil {
				return fmt.Errorf("analyzer %q: option %q: %w", a.Name, o.Name, err)
			}
		}
	}
	return nil
}

// Summary returns the one-line summary of the analyzer's document.
func (a *Analyzer) Summary() string {
	line, _, _ := strings.Cut(a.Doc, "\n")
	_, summary, _ := strings.Cut(line, ": ")
	return summary
}
