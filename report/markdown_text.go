package report

import (
	"regexp"
	"strings"
	"sync"
)

// sentence escapes a text for Markdown. It works word by word: a plain word stays as
// it is, anything else becomes a code span, in which nothing has a meaning.
// Backslashes would not do: GitHub looks for mentions (@name), bare addresses and
// emojis (:name:) after it has removed them.
func sentence(text string) string {
	words := strings.Fields(text)
	var all []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case ourFlag().MatchString(word) && i+1 < len(words) && plainWord().MatchString(words[i+1]):
			i++
			word = span(word + " " + words[i])
		case i == 0 || word != "->" && word != "%": // these two are kaudit's, and mean something only at the beginning of a line
			word = escapeWord(word)
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// ourFlag matches a flag that the report names with its value: both go into one code
// span, to be copied.
var ourFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--min-(severity|confidence)$`) })

// plainWord matches a word in which nothing means more than text to Markdown or its
// dialects.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN]([\pL\pN,.;:/'%+-]*[\pL\pN%])?$`) })

// oddWord matches a plain word that may be an address ("www.") or contain an emoji
// (":x:").
var oddWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)://|www\.|:.*:|--`) })

// listMark matches a word that would begin a list.
var listMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+[.)]$`) })

// clockWord matches a time, which has two colons but is no emoji.
var clockWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}T)?[0-9]{2}:[0-9]{2}:[0-9]{2}Z?$`)
})

func escapeWord(word string) string {
	core := strings.TrimRight(word, ",.;:)?")
	tail := word[len(core):]
	core = strings.TrimLeft(core, "(")
	head := word[:len(word)-len(core)-len(tail)]
	emoji := strings.Contains(tail, ":") && strings.Contains(core, ":")
	switch {
	case core == "", listMark().MatchString(word), emoji && strings.HasPrefix(core, ":"):
		return span(word)
	case clockWord().MatchString(core), plainWord().MatchString(core) && !oddWord().MatchString(core) && !emoji:
		return word
	}
	return head + span(core) + tail
}

// span returns a text as a code span, with a fence longer than any run of backquotes
// in it. A bar would end the cell of a table, even behind a backslash if the text has
// another one before that, so it is written as Clean writes what is not printable.
func span(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\x7c`)
	if text == "" {
		return ""
	}
	run, longest := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
