package analysis

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// ownFacts are what the logs tell that API servers and kubelets write about themselves:
// requests, in lines of httplog, and lines that say what went wrong. These are no audit
// events.
type ownFacts struct {
	Requests map[string]*ownRequests `json:"requests,omitempty"` // by Event.Log
	Ends     ownEnds                 `json:"ends"`
	Lines    map[string]*ownLines    `json:"lines,omitempty"`   // by kind
	StoodIn  []string                `json:"stoodIn,omitempty"` // logs whose requests of httplog count; set by Settle
	Filled   []string                `json:"filled,omitempty"`  // those of StoodIn that have audit events too, but no ends
}

// ownRequests are the requests in one log's lines of httplog.
type ownRequests struct {
	N       int64      `json:"n"`
	Guessed int64      `json:"guessed,omitempty"` // those of N with a time whose year and zone are a guess
	Span    tally.Span `json:"span"`
	IDs     requestIDs `json:"ids"`
	Lines   requestIDs `json:"lines"` // requests without an audit ID, as before 1.20, by lineHash

	Sessions requestIDs `json:"sessions"` // of connections that were taken over
}

// partOf reports whether o has most of the requests of r.
func (r *ownRequests) partOf(o *ownRequests) bool {
	return r.IDs.partOf(&o.IDs) || r.Lines.partOf(&o.Lines)
}

// maxOwnLines is how many lines of a kind are kept, some kilobyte each; the
// others are counted.
const maxOwnLines = 512

// ownLines are the lines of one kind.
type ownLines struct {
	N     int64                     `json:"n"`
	Table table[linePlace, OwnLine] `json:"table"`
}

// A linePlace is where a line stands.
type linePlace struct {
	Source string `json:"source"`
	Offset int64  `json:"offset"`
}

func (p linePlace) hash() uint64 { return tally.Mix(tally.Hash(p.Source), uint64(p.Offset)) }

func (p linePlace) quick() uint64 { return p.hash() }

func (p linePlace) compare(q linePlace) int {
	return audit.Ref{Source: p.Source, Offset: p.Offset}.Compare(audit.Ref{Source: q.Source, Offset: q.Offset})
}

// An OwnLine is a line of the own log of an API server or kubelet that says
// what went wrong.
type OwnLine struct {
	Log     string    `json:"log"`
	Ref     audit.Ref `json:"ref"`               // its Time is 0 if the line has none
	Guessed bool      `json:"guessed,omitempty"` // the year and zone of its time are a guess
	Value   string    `json:"value,omitempty"`   // Event.Message: of a panic, the value that panic was called with
	Frames  []string  `json:"frames,omitempty"`  // of a panic or crash: the topmost functions

	Verb     string `json:"verb,omitempty"`
	Group    string `json:"group,omitempty"`
	Resource string `json:"resource,omitempty"`
	Name     string `json:"name,omitempty"`   // of the object or node, or the type that was watched
	Target   string `json:"target,omitempty"` // Event.Target of a line about a request
}

func newOwnFacts() ownFacts {
	return ownFacts{Requests: map[string]*ownRequests{}, Ends: newOwnEnds(), Lines: map[string]*ownLines{}}
}

func newOwnLines() *ownLines { return &ownLines{Table: newTable[linePlace, OwnLine](maxOwnLines)} }

// UnmarshalJSON reads what was saved, and sets the cap, which is not saved.
func (l *ownLines) UnmarshalJSON(b []byte) error {
	type plain ownLines
	saved := plain(*newOwnLines())
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("read lines of an own log: %w", err)
	}
	*l = ownLines(saved)
	return nil
}

// request counts a request of httplog.
func (f *ownFacts) request(e *audit.Event) {
	r := f.Requests[e.Log]
	if r == nil {
		r = new(ownRequests)
		f.Requests[e.Log] = r
	}
	r.N++
	if e.Guessed {
		r.Guessed++
	}
	r.Span.Add(e.At)
	r.IDs.observe(e)
	if e.Code == 101 {
		r.Sessions.observe(e)
	}
	r.Lines.observeLine(e)
	f.Ends.observe(e)
}

// maxLineText is how many bytes of a line's text are kept.
const maxLineText = 300

// line keeps a line that says what went wrong.
func (f *ownFacts) line(e *audit.Event) {
	kind := e.Reason.String()
	lines := f.Lines[kind]
	if lines == nil {
		lines = newOwnLines()
		f.Lines[kind] = lines
	}
	lines.N++
	kept := lines.Table.at(linePlace{e.Source, e.Offset})
	if kept == nil {
		return
	}
	*kept = OwnLine{
		Log: e.Log, Ref: e.Ref(), Guessed: e.Guessed, Value: string(e.Message[:min(len(e.Message), maxLineText)]), Frames: e.Frames,
		Verb: e.Verb.String(), Group: e.Group.String(), Resource: e.Resource.String(), Name: e.Name.String(),
	}
	if len(e.URI) > 0 {
		kept.Target = e.Target()
	}
}

func (f *ownFacts) merge(o *ownFacts) {
	for log, theirs := range o.Requests {
		mine := f.Requests[log]
		if mine == nil {
			f.Requests[log] = theirs
			continue
		}
		mine.N += theirs.N
		mine.Guessed += theirs.Guessed
		mine.Span.Merge(theirs.Span)
		mine.IDs.merge(&theirs.IDs)
		mine.Sessions.merge(&theirs.Sessions)
		mine.Lines.merge(&theirs.Lines)
	}
	f.Ends.merge(&o.Ends)
	for kind, theirs := range o.Lines {
		mine := f.Lines[kind]
		if mine == nil {
			f.Lines[kind] = theirs
			continue
		}
		mine.N += theirs.N
		mine.Table.merge(&theirs.Table, func(mine, theirs *OwnLine) {})
	}
}

// OwnLines returns the lines of a kind (audit.LinePanic and the like) in order of time,
// and how many there were: more than lines if too many to keep. Times whose year and zone
// were guessed are corrected as far as the audit events allow.
func (f *Facts) OwnLines(kind audit.Sym) (lines []OwnLine, n int64) {
	kept := f.Own.Lines[kind.String()]
	if kept == nil {
		return nil, 0
	}
	clocks := map[string]ownClock{}
	for _, place := range kept.Table.sorted() {
		line := *kept.Table.get(place)
		if line.Guessed {
			clock, ok := clocks[line.Log]
			if !ok {
				clock = f.clockOf(line.Log)
				clocks[line.Log] = clock
			}
			line.Ref.Time = clock.right(line.Ref.Time)
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b OwnLine) int { return a.Ref.Compare(b.Ref) })
	return lines, kept.N
}

// LinesBy gathers the places of lines by what of says that they are about. It leaves out
// lines of which of reports false. What was told of first comes first, and the places of
// each are in the order of lines.
func LinesBy[K comparable](lines []OwnLine, of func(*OwnLine) (about K, ok bool)) iter.Seq2[K, []audit.Ref] {
	var order []K
	refs := map[K][]audit.Ref{}
	for i := range lines {
		about, ok := of(&lines[i])
		if !ok {
			continue
		}
		if refs[about] == nil {
			order = append(order, about)
		}
		refs[about] = append(refs[about], lines[i].Ref)
	}
	return func(yield func(K, []audit.Ref) bool) {
		for _, about := range order {
			if !yield(about, refs[about]) {
				return
			}
		}
	}
}

// copied returns the log, of those in StoodIn, that holds most of the requests of another;
// "" if none does.
func (f *ownFacts) copied(log string) string {
	for _, name := range f.StoodIn {
		if f.Requests[log].partOf(f.Requests[name]) {
			return name
		}
	}
	return ""
}

// OwnRequests returns, by log, the number of requests in lines of httplog.
func (f *Facts) OwnRequests() map[string]int64 {
	requests := map[string]int64{}
	for log, r := range f.Own.Requests {
		requests[log] = r.N
	}
	return requests
}

// ownLogs returns the names of the logs with lines of httplog, sorted.
func (f *Facts) ownLogs() []string { return slices.Sorted(maps.Keys(f.Own.Requests)) }
