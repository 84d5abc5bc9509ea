package analysis

import (
	"regexp"
	"strings"
)

// A Remedy says in a sentence or two of plain text what to do about some findings of an
// analyzer.
type Remedy struct {
	Words []string // findings that it is for (see Finding.Is); none: all others
	Text  string
}

// remedyOf matches the beginning of a paragraph that is for some findings only: words in
// backticks, and a colon.
var remedyOf = regexp.MustCompile("^`([\\w-]+(?:`, `[\\w-]+)*)`: ")

// Remedies returns the remedies in the section "What to do" of the analyzer's document: its
// first paragraph, and those that begin with words in backticks and a colon.
func (a *Analyzer) Remedies() (all []Remedy) {
	_, section, _ := strings.Cut(a.Doc, "\n## What to do\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for i, paragraph := range strings.Split(strings.TrimSpace(section), "\n\n") {
		var r Remedy
		if words := remedyOf.FindStringSubmatch(paragraph); words != nil {
			r.Words = strings.Split(words[1], "`, `")
			paragraph = paragraph[len(words[0]):]
		}
		if i == 0 || r.Words != nil {
			r.Text = strings.Join(strings.Fields(strings.ReplaceAll(paragraph, "`", "")), " ")
			all = append(all, r)
		}
	}
	return all
}

// Remedy returns what to do about a finding: the text of the first of the document's
// remedies with a word that fits, or else of the one that is for all others.
func (a *Analyzer) Remedy(f *Finding) string {
	text := ""
	for _, r := range a.Remedies() {
		if len(r.Words) == 0 {
			text = r.Text
		}
		for _, word := range r.Words {
			if f.Is(word) {
				return r.Text
			}
		}
	}
	return text
}

// Is reports whether word is the finding's kind, pattern or cause, or the name of one of its
// details that is true or a number above zero.
func (f *Finding) Is(word string) bool {
	d := f.Details
	return word == d.Text("kind") || word == d.Text("pattern") || word == d.Text("cause") || d[word] == true || d.Float(word) > 0
}
