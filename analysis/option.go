package analysis

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// An Option is a threshold of an analyzer that a user may set, with
// --set ANALYZER.OPTION=VALUE or in a configuration file.
type Option struct {
	Name    string // kebab-case
	Default any    // an int, float64, bool or time.Duration, which is the option's type
	Unit    string // such as "rounds"; "" for a duration. One with "of the " before it makes a share, of at most 1
	Doc     string // one sentence: what it means, and why the default is what it is
	NotZero bool   // 0 makes no sense, as of a window's length; an int must never be 0

	// Least is the shortest duration that the analyzer can tell from others, such as the
	// step in which it counts; 0 for none.
	Least time.Duration
}

// Parse reads a value of the option's type. It fails if the text is not of that type, or
// if the value makes no sense for the option.
func (o *Option) Parse(s string) (any, error) {
	var v any
	var err error
	switch o.Default.(type) {
	case int:
		v, err = strconv.Atoi(s)
	case float64:
		v, err = strconv.ParseFloat(s, 64)
	case bool:
		v, err = strconv.ParseBool(s)
	case time.Duration:
		v, err = time.ParseDuration(s)
	default:
		panic(fmt.Sprintf("option %s has a default of type %T", o.Name, o.Default))
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no %s", s, o.Type())
	}
	return v, o.check(s, v)
}

// check returns an error if v, which was read from s, makes no sense for the option.
func (o *Option) check(s string, v any) error {
	var n float64
	whole := false
	switch v := v.(type) {
	case int:
		n, whole = float64(v), true
	case float64:
		n = v
	case time.Duration:
		n = float64(v)
	default:
		return nil
	}
	switch {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Errorf("%q is no %s", s, o.Type())
	case n < 0:
		return fmt.Errorf("%q is negative, which no threshold can be", s)
	case n == 0 && whole: // it is a number of things to be found, and none is no finding
		return fmt.Errorf("it must be 1 or more %s", o.Unit)
	case n == 0 && o.NotZero:
		return errors.New("it must be above 0")
	case n < float64(o.Least):
		return fmt.Errorf("it must be %s or longer", o.Least)
	case n > 1 && strings.HasPrefix(o.Unit, "of the "):
		return errors.New("it is a share: it must be 1 or less")
	}
	return nil
}

// Type names the option's type for a user.
func (o *Option) Type() string {
	switch o.Default.(type) {
	case int:
		return "whole number"
	case float64:
		return "number"
	case bool:
		return "true or false"
	}
	return "duration such as 30s or 5m"
}

// Settings are the options that a user has set, by analyzer and option. What
// is absent has its default.
type Settings map[string]map[string]any

// Set parses value and sets the option. It fails as Parse does, or if there is no such
// option.
func (s Settings) Set(a *Analyzer, option, value string) error {
	for i := range a.Options {
		o := &a.Options[i]
		if o.Name != option {
			continue
		}
		v, err := o.Parse(value)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", a.Name, option, err)
		}
		if s[a.Name] == nil {
			s[a.Name] = map[string]any{}
		}
		s[a.Name][option] = v
		return nil
	}
	return fmt.Errorf("analyzer %s has no option %q", a.Name, option)
}
