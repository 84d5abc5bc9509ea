package events

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// text writes lines for a person. A repeat of an earlier line is folded into it,
// since nobody wants to read every heartbeat. After a pause it is no repeat, nor if
// another client has changed the object in between: a change must not be told
// before what may be its cause.
type text struct {
	w       io.Writer
	options Options
	lines   int64 // written so far

	open  map[string]*folded // the lines that wait for repeats, by key
	turns map[string]turn    // by object
	seen  int                // records so far
	order []*folded          // the lines that wait, by the time of their first record
	width int                // of the column of objects: that of the widest one so far
	lay   layout
}

// maxOpen is how many lines wait for repeats: in a busy cluster some seconds, long
// enough for each heartbeat to come round, and in a quiet one some minutes.
const maxOpen = 256

// A turn begins when a client changes an object that another client, or none, has
// changed before.
type turn struct {
	client string
	since  int // records so far
}

// A folded is a line and its repeats.
type folded struct {
	key     string
	object  string
	record  *query.Record
	n       int
	seen    int           // records so far, with the last of them
	pause   time.Duration // the longest between two of them
	last    time.Time
	longest time.Duration
}

func (t *text) Write(row *Row) error {
	if t.open == nil {
		t.open, t.turns, t.lay = map[string]*folded{}, map[string]turn{}, newLayout(&t.options)
		t.width = t.lay.least
	}
	r := row.Record
	key := t.key(r)
	took, _ := r.Took()
	of := changed(r)
	t.seen++
	t.change(r, of)
	if f := t.open[key]; f != nil && !t.options.All && !t.parted(f, r, of) {
		f.seen = t.seen
		f.pause = max(f.pause, r.Time.Std().Sub(f.last))
		f.n++
		f.last, f.longest = r.Time.Std(), max(f.longest, took)
		return nil
	}
	f := &folded{key: key, object: objectOf(r), record: r, n: 1, seen: t.seen, last: r.Time.Std(), longest: took}
	if n := utf8.RuneCountInString(f.object); n <= t.lay.most {
		t.width = max(t.width, n)
	}
	t.open[key] = f
	t.order = append(t.order, f)
	if len(t.order) <= maxOpen {
		return nil
	}
	return t.flush()
}

// parted reports whether r, which has the key of f, is no repeat of it: it comes
// after a pause, or another client has changed the object in between.
func (t *text) parted(f *folded, r *query.Record, of string) bool {
	if r.Time.Std().Sub(f.last) > query.Pause(f.pause) {
		return true
	}
	return of != "" && t.turns[of].since > f.seen
}

// change notes that a request changed the object of, if any.
func (t *text) change(r *query.Record, of string) {
	if of == "" {
		return
	}
	if client := r.Client(); t.turns[of].client != client {
		t.turns[of] = turn{client, t.seen}
	}
}

var changes = []string{"create", "update", "patch", "delete"}

// changed returns a key of the object that a request changed, or "" if it changed
// none: it failed, is a session, or has no name.
func changed(r *query.Record) string {
	if r.Name == "" || r.Code >= 400 || r.Code == 101 || !slices.Contains(changes, r.Verb) {
		return ""
	}
	return strings.Join([]string{r.APIGroup, r.Resource, r.Namespace, r.Name}, "\x00")
}

// objectOf names the object of a request, with the parameters of the request.
func objectOf(r *query.Record) string {
	if r.Ask != "" {
		return report.Clean(r.Object() + "?" + r.Ask)
	}
	return report.Clean(r.Object())
}

// key is the same for records of which one may repeat the other.
func (t *text) key(r *query.Record) string {
	return strings.Join([]string{r.Stage, r.Verb, strconv.Itoa(r.Code), r.Object(), r.Ask, r.Client(), r.Reason}, "\x00")
}

// flush prints the line that has waited longest.
func (t *text) flush() error {
	f := t.order[0]
	t.order = t.order[1:]
	if t.open[f.key] == f {
		delete(t.open, f.key)
	}
	if of := changed(f.record); of != "" && t.turns[of].client == f.record.Client() {
		delete(t.turns, of) // no line that waits is older than the turn
	}
	return t.print(f)
}

func (t *text) Close() error {
	for len(t.order) > 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (t *text) Lines() int64 { return t.lines + int64(len(t.order)) }

// timeLayout is RFC 3339 with milliseconds, so that a time can be given back to
// --around.
const timeLayout = "2006-01-02T15:04:05.000Z"

func (t *text) print(f *folded) error {
	if t.lines == 0 {
		if err := t.row(&query.Record{}, "TIME", "STAGE", "LATENCY", "VERB", "CODE", "OBJECT", "CLIENT"+t.where("  FILE:LINE")); err != nil {
			return err
		}
	}
	t.lines++
	r := f.record
	took, code := "-", "-"
	if d, ok := r.Took(); ok {
		took = query.Short(d)
	}
	switch {
	case r.Stage == audit.StagePanic.String(): // its code, 500, is not the handler's
		code = "panic"
	case r.Code != 0:
		code = strconv.Itoa(r.Code)
	}
	client := report.Clean(r.Client())
	if r.Code >= 400 && r.Message != "" {
		client += ": " + report.Clean(r.Message)
	}
	if f.n > 1 {
		client += fmt.Sprintf("  [%d times until %s", f.n, f.last.UTC().Format("15:04:05.000"))
		if f.longest > 0 {
			client += ", " + query.Short(f.longest) + " at most"
		}
		client += "]"
	}
	client += t.where(fmt.Sprintf("  %s:%d", report.Clean(r.Source), r.Line))
	return t.row(r, r.Time.Std().Format(timeLayout), r.Stage, took, report.Clean(r.Verb), code, f.object, client)
}

// where returns the text if lines end with where the first of their events stands.
func (t *text) where(text string) string {
	if t.options.Format == "wide" {
		return text
	}
	return ""
}

// row writes the cells of a record, or the titles.
func (t *text) row(r *query.Record, when, stage, took, verb, code, object, client string) error {
	if t.options.Stages {
		when = fmt.Sprintf("%-24s  %-16s", when, stage)
	}
	look := t.options.Look
	when, code = look.Dim(fmt.Sprintf("%-24s", when)), look.Outcome(r.Code, r.Stage == audit.StagePanic.String(), fmt.Sprintf("%5s", code))
	before := max(0, len(took)-len("LATENCY")) + max(0, utf8.RuneCountInString(verb)-len("VERB  "))
	_, err := fmt.Fprintf(t.w, "%s  %7s  %-6s  %s%s\n", when, took, verb, code, t.lay.rest(look, before, t.width, object, client))
	return err
}
