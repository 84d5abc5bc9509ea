package query

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A ValueError is the error of a value that a flag or argument can't have.
type ValueError struct {
	Flag, Value string
	Err         error    // what is wrong with the value
	Word        string   // the part of the value that is unknown, or ""
	Known       []string // the words that the user may have meant by Word; nil if it can be anything
	Advice      string   // what to do if Word resembles none of Known, or ""
}

// Error names the flag, the value and what is wrong with it.
func (e *ValueError) Error() string {
	value := e.Value
	if value == "" {
		value = `""`
	}
	return fmt.Sprintf("%s %s: %v", e.Flag, value, e.Err)
}

// Unwrap returns what is wrong with the value.
func (e *ValueError) Unwrap() error { return e.Err }

// A pattern is a value of a filter, without its "!".
type pattern struct {
	literal string
	parts   []string       // of a value with *: what stands between them
	re      *regexp.Regexp // of /re/
}

// isLiteral reports whether only one text matches.
func (p *pattern) isLiteral() bool { return p.parts == nil && p.re == nil }

func parsePattern(text string) (pattern, error) {
	if isExpression(text) {
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return pattern{}, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return pattern{re: re}, nil
	}
	if strings.Contains(text, "*") {
		return pattern{parts: strings.Split(text, "*")}, nil
	}
	return pattern{literal: text}, nil
}

// isExpression reports whether the value, or what follows its "!", is /re/.
func isExpression(text string) bool {
	text = strings.TrimPrefix(text, "!")
	return len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/'
}

func (p *pattern) fits(s []byte) bool {
	switch {
	case p.isLiteral():
		return p.literal == string(s)
	case len(s) == 0:
		return false
	case p.re != nil:
		return p.re.Match(s)
	}
	return glob(p.parts, s)
}

// glob reports whether the parts stand in s in this order: the first at its
// beginning, the last at its end.
func glob(parts []string, s []byte) bool {
	last := len(parts) - 1
	if len(s) < len(parts[0])+len(parts[last]) || string(s[:len(parts[0])]) != parts[0] {
		return false
	}
	tail := len(s) - len(parts[last])
	if string(s[tail:]) != parts[last] {
		return false
	}
	s = s[len(parts[0]):tail]
	for _, part := range parts[1:last] {
		i := bytes.Index(s, []byte(part))
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// A choice is the values of one field: one of any must match, and none of none.
type choice[T any] struct{ any, none []T }

// fits reports whether the choice lets something through. fit reports whether a
// value matches it.
func (c *choice[T]) fits(fit func(*T) bool) bool {
	for i := range c.none {
		if fit(&c.none[i]) {
			return false
		}
	}
	for i := range c.any {
		if fit(&c.any[i]) {
			return true
		}
	}
	return len(c.any) == 0
}

// errEmpty is the error for an empty value, as an unset variable of a script or a
// stray comma makes.
var errEmpty = errors.New("a value is empty")

// parseChoice parses each value, without the "!" that it may begin with.
func parseChoice[T any](flag string, values []string, parse func(string) (T, error)) (c choice[T], err error) {
	for _, value := range values {
		text, not := strings.CutPrefix(value, "!")
		if text == "" {
			return c, &ValueError{Flag: flag, Value: strconv.Quote(value), Err: errEmpty, Advice: "'!*' chooses events that have none, and '*' those that have one"}
		}
		v, err := parse(text)
		if err != nil {
			if e, ok := errors.AsType[*ValueError](err); ok {
				e.Flag, e.Value = flag, value
				return c, e
			}
			return c, &ValueError{Flag: flag, Value: value, Err: err}
		}
		if not {
			c.none = append(c.none, v)
		} else {
			c.any = append(c.any, v)
		}
	}
	return c, nil
}

// split splits values at commas, except for regular expressions.
func split(values []string) []string {
	var all []string
	for _, v := range values {
		if isExpression(v) {
			all = append(all, v)
			continue
		}
		all = append(all, strings.Split(v, ",")...)
	}
	return all
}
