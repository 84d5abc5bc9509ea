package timeline

import (
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Timeline is a story: what happened, in order of time.
type Timeline struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	About      string     `json:"about"`
	Zero       audit.Time `json:"zero"` // what offsets count from; null if there are no entries
	ZeroIs     string     `json:"zeroIs"`
	Entries    []*Line    `json:"entries"`
	Notes      []string   `json:"notes"`
}

// A Line is an event, or several that repeat it.
type Line struct {
	*query.Record
	Offset   float64    `json:"offsetSeconds"`
	Text     string     `json:"text"` // the event in words
	Times    int        `json:"times"`
	Until    audit.Time `json:"until"`          // the last repeat's time
	Longest  *float64   `json:"longestSeconds"` // that one of them took; null if none has ended
	Changes  []string   `json:"changes,omitempty"`
	Evidence bool       `json:"evidence,omitempty"` // of the finding

	key   string
	pause time.Duration // the longest between two repeats
}

// maxLines bounds a timeline: nobody reads a longer one.
const maxLines = 10_000

// A Teller makes a timeline of entries that come in order of time.
type Teller struct {
	// All makes a line of each event.
	All bool
	// Limit, if above 0, is how many lines there are at most.
	Limit int
	// Evidence says which lines of files prove the finding, as "file:line".
	Evidence map[string]bool

	timeline Timeline
	open     map[string]*Line
	memory   memory
	left     int
}

// pause is how long a repeat may keep one waiting: a heartbeat that stops and
// comes back is two lines, and what stopped is seen.
const pause = time.Minute

// Add adds an entry. line is that of the file.
func (t *Teller) Add(e *Entry, line int) {
	if t.memory == nil {
		t.memory, t.open = memory{}, map[string]*Line{}
	}
	r := e.Record
	r.Line = line
	changes := t.memory.changes(e)
	key := strings.Join([]string{r.Stage, r.Verb, strconv.Itoa(r.Code), r.Object(), r.From(), r.Client(), strings.Join(kept(r, changes), ",")}, "\x00")
	evidence := t.Evidence[r.Source+":"+strconv.Itoa(line)]
	if l := t.open[key]; l != nil && !t.All && r.Time.Sub(l.Until) <= max(pause, 4*l.pause) {
		l.pause = max(l.pause, r.Time.Sub(l.Until))
		l.Longest = query.Longest(l.Longest, r.Latency)
		l.Times++
		l.Until = r.Time
		l.Evidence = l.Evidence || evidence
		return
	}
	if n := len(t.timeline.Entries); n == maxLines || n == t.Limit && n > 0 {
		t.left++
		return
	}
	l := &Line{Record: r, Text: r.Sentence(), Times: 1, Until: r.Time, Longest: r.Latency, Changes: changes, Evidence: evidence, key: key}
	t.open[key] = l
	t.timeline.Entries = append(t.timeline.Entries, l)
}

// kept returns what repeats must have in common of the changes: what was
// changed to what, or the fields alone of what is a report again and again.
func kept(r *query.Record, changes []string) []string {
	if r.Subresource != "status" && r.Resource != "leases" {
		return changes
	}
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i], _, _ = strings.Cut(c, " ")
	}
	return names
}

// Timeline returns the story. zero is what offsets count from, and zeroIs says
// what that is; without one they count from the first line.
func (t *Teller) Timeline(about string, zero audit.Time, zeroIs string) *Timeline {
	tl := &t.timeline
	tl.APIVersion, tl.Kind, tl.About, tl.Notes = "kaudit/v1", "Timeline", about, []string{}
	if tl.Entries == nil {
		tl.Entries = []*Line{}
	}
	if zero == 0 && len(tl.Entries) > 0 {
		zero, zeroIs = tl.Entries[0].Time, "the first line"
	}
	tl.Zero, tl.ZeroIs = zero, zeroIs
	for _, l := range tl.Entries {
		l.Offset = l.Time.Sub(zero).Seconds()
	}
	if t.left > 0 {
		tl.Notes = append(tl.Notes, strconv.Itoa(t.left)+" events more have no line: choose fewer, with --since, --until or --verb, or a higher --limit")
	}
	return tl
}
