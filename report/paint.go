package report

import "github.com/kaudit/kaudit/analysis"

// A painter colours text if it is true: red and yellow for severities, bold for
// headings, dim for what only guides the eye. Colour says nothing that words do not.
type painter bool

func (p painter) with(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p painter) bold(text string) string { return p.with("1", text) }

func (p painter) dim(text string) string { return p.with("2", text) }

func (p painter) warning(text string) string { return p.with("33", text) }

func (p painter) severity(s analysis.Severity, text string) string {
	switch s {
	case analysis.Critical:
		return p.with("1;31", text)
	case analysis.Warning:
		return p.warning(text)
	}
	return p.dim(text)
}
