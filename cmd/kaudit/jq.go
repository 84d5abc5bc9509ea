package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// compileJQ compiles the expression that flag holds. A mistake is shown with a
// caret below it. The environment is empty: a report must not depend on it.
func compileJQ(flag, expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		at := len(expression)
		if e, ok := errors.AsType[*gojq.ParseError](err); ok {
			at = e.Offset - len(e.Token)
		}
		mistake := usagef("%s: %w\n%s", flag, err, caret(expression, at))
		if strings.HasPrefix(expression[at:], "'") {
			return nil, hinted(mistake, `in jq a text stands in double quotes: "get"`)
		}
		return nil, mistake
	}
	if set := assigned(query, flag == "--where"); set != nil {
		mistake := usagef("%s: %s sets a field, which is always true", flag, set)
		set.Op = gojq.OpEq
		return nil, hinted(mistake, "did you mean %s?", query)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		name, arity := undefined(err)
		mistake := usagef("%s: %w\n%s", flag, err, caret(expression, max(0, strings.Index(expression, name))))
		if arity != "0" {
			return nil, mistake
		}
		return nil, hinted(mistake, "%s", bareWord(flag, name))
	}
	return code, nil
}

// undefined returns the name that a compile error complains of, and the arity
// if it is a function's. gojq tells them only at the end of its message.
func undefined(err error) (name, arity string) {
	message := err.Error()
	name, arity, _ = strings.Cut(message[strings.LastIndexByte(message, ' ')+1:], "/")
	return name, arity
}

// bareWord returns the hint for a word that is no function of jq: it may be a
// field without its dot, or a text without its quotes.
func bareWord(flag, word string) string {
	fields := eventFields
	if flag == "--jq" {
		fields = reportFields
	}
	if slices.Contains(fields, word) {
		return fmt.Sprintf("did you mean .%s?", word)
	}
	return fmt.Sprintf("a field begins with a dot, .%s, and a text stands in double quotes, %q", fields[0], word)
}

// eventFields and reportFields are the top-level fields of an event and of the
// JSON report.
var (
	eventFields = []string{
		"verb", "kind", "apiVersion", "level", "auditID", "stage", "requestURI", "user", "impersonatedUser", "authenticationMetadata",
		"sourceIPs", "userAgent", "objectRef", "responseStatus", "requestObject", "responseObject", "requestReceivedTimestamp",
		"stageTimestamp", "annotations",
	}
	reportFields = []string{
		"findings", "apiVersion", "kind", "version", "partial", "input", "overview", "notes", "blind", "overflow", "hidden", "incidents", "remedies",
	}
)

// caret returns the line of the expression that holds byte at, with a caret
// below it.
func caret(expression string, at int) string {
	at = min(max(at, 0), len(expression))
	begin := strings.LastIndexByte(expression[:at], '\n') + 1
	line, _, _ := strings.Cut(expression[begin:], "\n")
	line = strings.ReplaceAll(line, "\t", " ")
	return line + "\n" + strings.Repeat(" ", utf8.RuneCountInString(expression[begin:at])) + "^"
}

// A shaper is the expression of --jq. It runs once, on the whole report.
type shaper struct {
	code   *gojq.Code
	limits limits
}

// shapeLimits are what --jq may take on a report: half a minute or so, and more
// memory than any answer that a person reads needs.
var shapeLimits = limits{steps: 300_000_000, room: 1 << 30}

// print writes what the expression makes of v, one result a line: strings as
// they are, null as an empty line, other values as JSON. A terminal gets no
// control characters: text from the log may hold them.
func (s *shaper) print(ctx context.Context, w io.Writer, v any) error {
	input, err := jsonValue(v)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	toTerminal := isTerminal(w)
	for results := s.code.RunWithContext(newSteps(ctx, s.limits), input); ; {
		result, ok := results.Next()
		if !ok {
			return out.Flush()
		}
		if err, failed := result.(error); failed && errors.Is(err, context.Canceled) {
			return errors.Join(out.Flush(), errShaping)
		}
		if halt, halted := result.(*gojq.HaltError); halted {
			if err := out.Flush(); err != nil || halt.Value() == nil {
				return err // jq's halt has no value and is no error; halt_error has one
			}
			return fmt.Errorf("--jq: %w", halt)
		}
		if limit, ok := result.(*limitError); ok {
			return errors.Join(out.Flush(), hinted(fmt.Errorf("--jq: it %w", limit), "%s", limit.Hint()))
		}
		line, err := resultLine(result)
		if err != nil {
			out.Flush()
			return fmt.Errorf("--jq: %w", err)
		}
		if toTerminal {
			line = harmless(line)
		}
		out.WriteString(line + "\n")
	}
}

// harmless replaces control characters and those that change the direction of
// text.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func resultLine(result any) (string, error) {
	switch v := result.(type) {
	case error:
		return "", v
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	line, err := gojq.Marshal(result)
	return string(line), err
}

// jsonValue returns v as gojq wants it: what its JSON decodes to.
func jsonValue(v any) (any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber() // or 1e6 events would print as 1e+06
	var value any
	err = d.Decode(&value)
	return value, err
}
