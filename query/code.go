package query

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A codes is a value of --code: a range of response codes, the word panic, or a
// pattern, which may match both. An event without a code, 0, is in none.
type codes struct {
	from, to int
	panic    bool               // handlers that panicked are in it
	pattern  *[maxCode + 1]bool // by code, whether the pattern matches; nil for a range
}

// maxCode is the highest code there is.
const maxCode = 599

func (c *codes) have(e *audit.Event) bool {
	switch {
	case c.panic && e.Stage == audit.StagePanic:
		return true
	case c.pattern != nil:
		return 0 < e.Code && e.Code <= maxCode && c.pattern[e.Code]
	}
	return c.from <= e.Code && e.Code <= c.to
}

var errCode = errors.New("it must be a code from 100 to 599, such as 404, 5xx, 40*, 400-499 or '>=500', or panic")

// codePattern returns the codes that a glob or a regular expression matches.
func codePattern(text string) (codes, error) {
	p, err := parsePattern(text)
	if err != nil {
		return codes{}, err
	}
	c := codes{panic: p.fits([]byte(panicked)), pattern: new([maxCode + 1]bool)}
	for code := range c.pattern {
		c.pattern[code] = code > 0 && p.fits([]byte(strconv.Itoa(code)))
	}
	return c, nil
}

// panicked stands for the code of a request whose handler panicked.
const panicked = "panic"

func parseCodes(text string) (codes, error) {
	switch {
	case text == panicked:
		return codes{panic: true, from: 1}, nil
	case isExpression(text) || strings.Contains(text, "*"):
		return codePattern(text)
	}
	for _, compare := range []struct {
		sign  string
		codes func(n int) codes
	}{
		{">=", func(n int) codes { return codes{from: n, to: math.MaxInt} }},
		{"<=", func(n int) codes { return codes{from: 1, to: n} }},
		{">", func(n int) codes { return codes{from: n + 1, to: math.MaxInt} }},
		{"<", func(n int) codes { return codes{from: 1, to: n - 1} }},
		{"=", func(n int) codes { return codes{from: n, to: n} }},
	} {
		if digits, ok := strings.CutPrefix(text, compare.sign); ok {
			n, err := parseCode(digits)
			return compare.codes(n), err
		}
	}
	if class, ok := strings.CutSuffix(strings.ToLower(text), "xx"); ok && len(class) == 1 && class[0] >= '1' && class[0] <= '5' {
		n := int(class[0]-'0') * 100
		return codes{from: n, to: n + 99}, nil
	}
	if low, high, ok := strings.Cut(text, "-"); ok {
		from, err := parseCode(low)
		to, err2 := parseCode(high)
		if err := errors.Join(err, err2); err != nil || to < from {
			return codes{}, errCode
		}
		return codes{from: from, to: to}, nil
	}
	n, err := parseCode(text)
	return codes{from: n, to: n}, err
}

func parseCode(digits string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil || n < 100 || n > maxCode {
		return 0, errCode
	}
	return n, nil
}

// addCodes adds a condition on the response code.
func (c *Condition) addCodes(values []string) error {
	values = split(values)
	chosen, err := parseChoice("--code", values, parseCodes)
	if err != nil || len(values) == 0 {
		return err
	}
	c.add("--code", values, func(e *audit.Event) bool {
		return chosen.fits(func(r *codes) bool { return r.have(e) })
	})
	return nil
}
