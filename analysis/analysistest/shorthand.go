package analysistest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// day is the date of times that are written without one.
const day = "2026-01-05"

// An entry is one event that a line of the shorthand makes.
type entry struct {
	log      string
	line     int // of the case, from 1
	at       audit.Time
	raw      []byte
	selected bool
}

// A shorthand reads lines of the notation.
type shorthand struct {
	with    map[string]string // keys for the lines below
	before  audit.Time        // when the request of the line before was received
	entries []entry
	wants   []want
}

// maxRepeat bounds what one line may make.
const maxRepeat = 10_000

// read reads one line. no is its number, for messages and wants.
func (s *shorthand) read(no int, line string) error {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "{") {
		return s.readRaw(no, line)
	}
	words, comment, err := tokens(line)
	if err != nil {
		return err
	}
	if rest, ok := strings.CutPrefix(comment, "want "); ok {
		wants, err := parseWants(no, rest)
		if err != nil {
			return err
		}
		s.wants = append(s.wants, wants...)
	}
	switch {
	case len(words) == 0:
		return nil
	case words[0].text == "with":
		s.with, err = attrs(words[1:])
		return err
	case len(words) < 6:
		return fmt.Errorf("%d columns; want time, user, verb, resource, object, code", len(words))
	}
	own, err := attrs(words[6:])
	if err != nil {
		return err
	}
	r := request{attrs: map[string]string{}, line: no}
	maps.Copy(r.attrs, s.with)
	maps.Copy(r.attrs, own)
	for i := range r.columns {
		r.columns[i] = words[i].text
	}
	return s.repeat(&r)
}

func (s *shorthand) readRaw(no int, line string) error {
	var stamp struct {
		StageTimestamp audit.Time
		Timestamp      audit.Time
	}
	if err := json.Unmarshal([]byte(line), &stamp); err != nil {
		return err
	}
	at := stamp.StageTimestamp
	if at == 0 {
		at = stamp.Timestamp
	}
	log := s.with["log"]
	if log == "" {
		log = defaultLog
	}
	s.entries = append(s.entries, entry{log, no, at, []byte(line), true})
	return nil
}

// repeat makes the events of a line, as often as it says.
func (s *shorthand) repeat(r *request) error {
	times, every := 1, time.Duration(0)
	if v := r.attrs["repeat"]; v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxRepeat {
			return fmt.Errorf("repeat=%s: want a number up to %d", v, maxRepeat)
		}
		times = n
		if every, err = time.ParseDuration(r.attrs["every"]); err != nil {
			return fmt.Errorf("repeat needs every=, a duration: %w", err)
		}
	}
	first, err := s.time(r.columns[0])
	if err != nil {
		return err
	}
	for n := range times {
		one := r.nth(n)
		one.received = first.Add(time.Duration(n) * every)
		entries, err := one.entries()
		if err != nil {
			return err
		}
		s.entries = append(s.entries, entries...)
		s.before = one.received
	}
	return nil
}

// time reads the time of a line.
func (s *shorthand) time(text string) (audit.Time, error) {
	if after, ok := strings.CutPrefix(text, "+"); ok {
		d, err := time.ParseDuration(after)
		if err == nil && s.before == 0 {
			err = fmt.Errorf("no line before")
		}
		if err != nil {
			return 0, fmt.Errorf("time %s: %w", text, err)
		}
		return s.before.Add(d), nil
	}
	full := text
	if !strings.Contains(text, "T") {
		full = day + "T" + text + "Z"
	}
	at, err := time.Parse(time.RFC3339Nano, full)
	if err != nil {
		return 0, fmt.Errorf("time %s: want 09:00:00, an RFC 3339 time, or +2.5s", text)
	}
	return audit.TimeOf(at), nil
}

// counter is {n}, {n+376} or {n*3+376}.
var counter = regexp.MustCompile(`\{n(?:\*(\d{1,9}))?(?:\+(\d{1,15}))?\}`)

// nth returns the n-th repetition of r.
func (r *request) nth(n int) *request {
	count := func(text string) string {
		return counter.ReplaceAllStringFunc(text, func(c string) string {
			m := counter.FindStringSubmatch(c)
			step, err := strconv.Atoi(m[1])
			if err != nil {
				step = 1
			}
			from, _ := strconv.Atoi(m[2]) // 0 if absent
			return strconv.Itoa(n*step + from)
		})
	}
	one := &request{attrs: map[string]string{}, line: r.line, n: n}
	for i, text := range r.columns {
		one.columns[i] = count(text)
	}
	for key, value := range r.attrs {
		one.attrs[key] = count(value)
	}
	return one
}

// keys are the keys that a line may have, beside ann.KEY.
var keys = strings.Fields(`dur started stage omit panic level rv query fields labels ip ua as groups
	reason msg request response version id log select repeat every`)

func attrs(words []token) (map[string]string, error) {
	all := map[string]string{}
	for _, w := range words {
		key, value, ok := strings.Cut(w.text, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want key=value", w.text)
		}
		if !strings.HasPrefix(key, "ann.") && !slices.Contains(keys, key) {
			return nil, fmt.Errorf("key %q: want one of %s, ann.KEY", key, strings.Join(keys, ", "))
		}
		all[key] = value
	}
	return all, nil
}
