package analysistest

import (
	"fmt"
	"strconv"
	"strings"
)

// A token is a word of the shorthand, without its quotes.
type token struct {
	text   string
	quoted bool // it began with a quote
}

// tokens splits a line at its spaces. Quotes hold spaces together, at the
// beginning of a word or after its '='. A word that begins with # ends the
// line; what follows it is the comment.
func tokens(line string) (words []token, comment string, err error) {
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, "", nil
		}
		if line[0] == '#' {
			return words, strings.TrimSpace(line[1:]), nil
		}
		var w token
		if w, line, err = word(line); err != nil {
			return nil, "", err
		}
		words = append(words, w)
	}
}

// word reads the first word of line, which is not empty.
func word(line string) (w token, rest string, err error) {
	w.quoted = isQuote(line[0])
	for line != "" && line[0] != ' ' && line[0] != '\t' {
		if isQuote(line[0]) && (w.text == "" || w.text[len(w.text)-1] == '=') {
			var text string
			if text, line, err = quoted(line); err != nil {
				return w, "", err
			}
			w.text += text
			if line != "" && line[0] != ' ' && line[0] != '\t' {
				return w, "", fmt.Errorf("no space after a closing quote: %s", line)
			}
			break
		}
		w.text += line[:1]
		line = line[1:]
	}
	return w, line, nil
}

// quoted reads the quoted text that line begins with.
func quoted(line string) (text, rest string, err error) {
	if line[0] == '"' {
		prefix, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", "", fmt.Errorf("a \" is not closed, or an escape is none of Go's: %s", line)
		}
		text, err = strconv.Unquote(prefix)
		return text, line[len(prefix):], err
	}
	text, rest, ok := strings.Cut(line[1:], line[:1])
	if !ok {
		return "", "", fmt.Errorf("a %c is not closed: %s", line[0], line)
	}
	return text, rest, nil
}

func isQuote(c byte) bool { return c == '\'' || c == '"' || c == '`' }
