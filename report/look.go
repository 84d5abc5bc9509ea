package report

import "strings"

// A Look says how lines of text are shown. The zero value is for pipes and
// files: lines are not folded and have no colours.
type Look struct {
	Width int  // in columns, to which lines are folded; 0 for no limit
	Color bool // the output is a terminal that shows colours
}

// Dim makes text faint that only guides the eye, such as times.
func (l Look) Dim(text string) string { return painter(l.Color).dim(text) }

// Outcome colours a text about a request by its result: red for errors, bold if the
// handler panicked, and yellow if it was denied.
func (l Look) Outcome(code int, panicked bool, text string) string {
	p := painter(l.Color)
	switch {
	case panicked:
		return p.with("1;31", text)
	case code == 401 || code == 403:
		return p.warning(text)
	case code >= 400:
		return p.with("31", text)
	}
	return text
}

// leastRoom is the least number of columns that text is folded in.
const leastRoom = 20

// Fold breaks text that begins in a column into lines, between words, and paints
// each line. A word that is longer than a line, such as the place of a line in a
// file, stays whole.
func (l Look) Fold(text string, column int, paint func(string) string) string {
	return l.fold(text, column, paint, false)
}

// Break is like Fold, for columns of a table: it also breaks words that are
// longer than a line, after a slash, a colon or the like if there is one.
func (l Look) Break(text string, column int, paint func(string) string) string {
	return l.fold(text, column, paint, true)
}

func (l Look) fold(text string, column int, paint func(string) string, broken bool) string {
	room := l.Width - column
	if l.Width <= 0 || room < leastRoom || columns(text) <= room {
		return paint(text)
	}
	lines := fill(strings.SplitSeq(text, " "), room, broken)
	for i, line := range lines {
		lines[i] = paint(strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", column))
}
