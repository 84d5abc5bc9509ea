package report

import (
	"strings"
	"unicode/utf8"
)

// A Look is how lines of text are shown. The zero value is for pipes and files:
// a line stays one line, and has no colours.
type Look struct {
	Width int  // columns, to which lines are folded; 0 is as many as it takes
	Color bool // only where the output is a terminal that wants it
}

// Dim colours what guides the eye, such as times.
func (l Look) Dim(text string) string { return painter(l.Color).dim(text) }

// Outcome colours what tells of a request by what came of it: red for errors,
// bold if the handler panicked, and yellow for what was denied.
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

// leastRoom is how many columns there must be for text to be folded in them.
const leastRoom = 20

// Fold breaks text that begins in a column between words, so that it fits, and
// paints each line. What is longer than a line, as a file and its line may be,
// stays whole.
func (l Look) Fold(text string, column int, paint func(string) string) string {
	return l.fold(text, column, paint, false)
}

// Break is Fold, but breaks words, too, that are longer than a line: behind a
// slash or a colon, if there is one. It is for columns of a table.
func (l Look) Break(text string, column int, paint func(string) string) string {
	return l.fold(text, column, paint, true)
}

func (l Look) fold(text string, column int, paint func(string) string, broken bool) string {
	room := l.Width - column
	if l.Width <= 0 || room < leastRoom || utf8.RuneCountInString(text) <= room {
		return paint(text)
	}
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		for broken && utf8.RuneCountInString(word) > room {
			if line != "" {
				lines, line = append(lines, paint(strings.TrimRight(line, " "))), ""
			}
			head, rest := cut(word, room)
			lines, word = append(lines, paint(head)), rest
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room:
			lines, line = append(lines, paint(strings.TrimRight(line, " "))), word
		default:
			line += " " + word
		}
	}
	lines = append(lines, paint(line))
	return strings.Join(lines, "\n"+strings.Repeat(" ", column))
}

// cut returns so many characters of a word, or less if there is a slash or a
// colon in the second half of them, and the rest.
func cut(word string, room int) (head, rest string) {
	at := len(string([]rune(word)[:room]))
	if mark := strings.LastIndexAny(word[:at], "/:"); 2*mark > at {
		at = mark + 1
	}
	return word[:at], word[at:]
}
