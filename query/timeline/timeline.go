package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Timeline is what happened, in order of time. It is what "kaudit timeline -o
// json" prints; docs/timeline.schema.json describes it.
type Timeline struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	About      string     `json:"about"`
	Incident   string     `json:"incident,omitempty"` // ID and title of the finding's incident
	Related    []string   `json:"related,omitempty"`  // IDs of the incident's other findings
	End        audit.Time `json:"end"`                // when the time that is told of ends; null if that is not known
	Zero       audit.Time `json:"zero"`               // what offsets count from; null if there are no entries
	ZeroIs     string     `json:"zeroIs"`             // what happened at Zero
	Entries    []*Line    `json:"entries"`
	Notes      []string   `json:"notes"`

	// Finding says that it is about a finding, which the text then names.
	Finding bool `json:"-"`
}

// maxLines is how many lines a timeline has at most: nobody reads more.
const maxLines = 10_000

// A Teller makes a timeline of entries that come in order of time.
type Teller struct {
	// All gives each event a line of its own.
	All bool
	// Stages gives lines to beginnings of requests as to their ends: the user asked
	// for them.
	Stages bool
	// Limit, if above 0, is how many lines there are at most.
	Limit int
	// Silences get lines, and repeats do not share a line across them.
	Silences []Silence
	// Pause is how long repeats may pause and still share a line, if it is longer
	// than query.Pause.
	Pause time.Duration
	// Restarts are those of API servers, in order of time: what was open when one of
	// them stopped ended without a line.
	Restarts []Restart
	// End, if not 0, is when the time that is told of ends: lines say which
	// requests had not ended by then.
	End audit.Time

	lines  []*Line
	open   map[string]*Line // the lines that take in repeats, by key
	memory memory
	left   int // entries that got no line

	running map[request]*begun
	waiting []*begun // in order of time
}

// Add adds an entry. line is its line in the file, from 1.
func (t *Teller) Add(e *Entry, line int) {
	if t.memory == nil {
		t.memory, t.open, t.running = memory{}, map[string]*Line{}, map[request]*begun{}
	}
	e.Record.Line = line
	t.release(e.Record.Time.Add(-brief))
	switch {
	case t.Stages:
	case begins(e):
		t.begin(e)
		return
	default:
		t.end(e)
	}
	t.tell(e)
}

// tell makes a line of an entry, or adds it to the line that it repeats. Evidence of
// the finding always gets a line of its own, behind which repeats of other lines go
// on. tell returns nil if there are enough lines.
func (t *Teller) tell(e *Entry) *Line {
	r := e.Record
	changes := t.memory.changes(e)
	key := keyOf(e, changes)
	alone := t.All || e.Ends || e.Proof != nil
	if l := t.open[key]; l != nil && !alone && r.Time.Sub(l.Until) <= max(query.Pause(l.pause), t.Pause) && !t.silent(l.Until, r.Time) {
		l.add(r)
		return l
	}
	if n := len(t.lines); n == maxLines || n == t.Limit && n > 0 {
		t.left++
		return nil
	}
	l := newLine(e, changes)
	if e.own {
		l.Text = e.Proof.Summary
	}
	if !alone {
		t.open[key] = l
	}
	t.lines = append(t.lines, l)
	return l
}

// silent reports whether most of a silence lies between two times.
func (t *Teller) silent(from, to audit.Time) bool {
	return slices.ContainsFunc(t.Silences, func(s Silence) bool {
		return min(to, s.To).Sub(max(from, s.From)) > s.To.Sub(s.From)/2
	})
}

// Timeline returns the timeline about something. zero is what offsets count from and
// zeroIs says what that is; if it is 0 they count from the first line.
func (t *Teller) Timeline(about string, zero audit.Time, zeroIs string) *Timeline {
	t.finish()
	lines := append(t.lines, silent(t.Silences)...)
	slices.SortStableFunc(lines, func(a, b *Line) int { return cmp.Compare(a.Time, b.Time) })
	afterTheLastSign(lines)
	tl := &Timeline{APIVersion: "kaudit/v1", Kind: "Timeline", About: about, End: t.End, Entries: []*Line{}, Notes: []string{}}
	tl.Entries = append(tl.Entries, lines...)
	if zero == 0 && len(lines) > 0 {
		zero, zeroIs = lines[0].Time, "the first line"
	}
	tl.Zero, tl.ZeroIs = zero, zeroIs
	for _, l := range lines {
		l.Offset = l.Time.Sub(zero).Seconds()
		l.tell()
		if t.End == 0 {
			l.Running = 0 // it is not known
		}
	}
	if t.left > 0 {
		have := strconv.Itoa(t.left) + " more events have"
		if t.left == 1 {
			have = "1 more event has"
		}
		tl.Notes = append(tl.Notes, have+" no line: choose fewer with --since, --until or --verb, or a higher --limit")
	}
	return tl
}
