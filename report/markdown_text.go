package report

import (
	"regexp"
	"strings"
	"sync"
)

// sentence escapes a text for Markdown. It works word by word: what is plainly
// a word stays as it is, everything else becomes a code span, in which nothing
// has a meaning. Backslashes would not do: a mention (@name), a bare address
// and a :name: of an emoji are found after escapes are gone.
func sentence(text string) string {
	words := strings.Fields(text)
	var all []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case ourFlag().MatchString(word) && i+1 < len(words) && plainWord().MatchString(words[i+1]):
			i++
			word = span(word + " " + words[i])
		case i == 0 || word != "->" && word != "%": // these are ours, and mean something at a line's begin only
			word = escapeWord(word)
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// ourFlag is a flag that the report speaks of with its value, to be copied in
// one piece.
var ourFlag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--min-(severity|confidence)$`) })

// plainWord has nothing that Markdown or its dialects read as more than text.
var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN]([\pL\pN,.;:/'%+-]*[\pL\pN%])?$`) })

// oddWord may be an address ("www.") or hold an emoji (":x:").
var oddWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)://|www\.|:.*:|--`) })

// listMark would begin a list.
var listMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+[.)]$`) })

// clockWord is a time, which has two colons and is no emoji.
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

// span returns a text as a code span. Its fence is longer than any run of
// backquotes in it. A bar would end the cell of a table, and before it a
// backslash does not help where the text has one of its own: it is shown as
// Clean shows what is not printable.
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
