package query

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A codes is a range of response codes, or what stands for a code where a
// handler panicked. Zero, an event without one, is in none.
type codes struct {
	from, to int
	panic    bool
}

func (c *codes) have(e *audit.Event) bool {
	if c.panic {
		return e.Stage == audit.StagePanic
	}
	return c.from <= e.Code && e.Code <= c.to
}

var errCode = errors.New("it must be a code from 100 to 599, such as 404, 5xx, 400-499 or '>=500', or panic")

func parseCodes(text string) (codes, error) {
	if text == "panic" {
		return codes{panic: true}, nil
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
	if err != nil || n < 100 || n > 599 {
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
