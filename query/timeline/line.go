package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// A Line tells of an event, of several that repeat it, or of a silence.
type Line struct {
	*query.Record
	Offset  float64    `json:"offsetSeconds"`
	Text    string     `json:"text"`              // the event in words
	Times   int        `json:"times"`             // how many events it stands for
	Until   audit.Time `json:"until"`             // when the last of them was
	Longest *float64   `json:"longestSeconds"`    // how long the longest took; null if none has ended
	Objects int        `json:"objects"`           // how many objects they are about, at most maxCounted
	Clients int        `json:"clients"`           // how many clients sent them, at most maxCounted
	Running int        `json:"running,omitempty"` // for a line of beginnings: how many requests had not ended by the timeline's end
	Stopped int        `json:"stopped,omitempty"` // and how many ended when their API server stopped, in the time that follows

	StoppedFrom audit.Time `json:"stoppedFrom,omitzero"` // the last that it wrote
	StoppedTo   audit.Time `json:"stoppedTo,omitzero"`   // when it started again

	Changes []string `json:"changes,omitempty"` // of fields: "spec.replicas 3 -> 5"

	Evidence bool    `json:"evidence,omitempty"`      // it is evidence of the finding
	Of       string  `json:"evidenceOf,omitempty"`    // ID of another finding that it is evidence of
	Mark     bool    `json:"mark,omitempty"`          // a mark of the finding begins or ends with it
	Silent   float64 `json:"silentSeconds,omitempty"` // for a line of silences: the longest

	pause   time.Duration // the longest between two repeats
	fold    fold
	objects map[string]bool // nil as long as there is one
	clients map[string]bool // likewise
}

// newLine makes the line of an event.
func newLine(e *Entry, changes []string) *Line {
	r := e.Record
	l := &Line{
		Record: r, Times: 1, Until: r.Time, Longest: r.Latency, Objects: 1, Clients: 1, Changes: changes,
		Mark: e.Ends, fold: e.fold,
	}
	if e.Proof != nil {
		l.Evidence, l.Of = e.Proof.Finding == "", e.Proof.Finding
	}
	return l
}

// keyOf is the same for entries of which one may repeat the other.
func keyOf(e *Entry, changes []string) string {
	r := e.Record
	object, client, from := r.Object(), r.Client(), r.From()
	switch {
	case e.fold.kinds:
		object = ""
	case e.fold.names:
		object = strings.Join([]string{r.APIGroup, r.Resource, r.Subresource}, "/")
	}
	switch {
	case e.fold.clients:
		client = ""
	case e.fold.nodes && strings.HasPrefix(r.User, nodeUser):
		client = nodeUser
	}
	if e.fold.version {
		from = ""
	}
	return strings.Join([]string{r.Stage, r.Verb, strconv.Itoa(r.Code), object, from, client, strings.Join(kept(e, changes), ",")}, "\x00")
}

// kept returns the part of the changes that repeats must have in common: fields and
// values, or only the fields for what is reported again and again (a status, a
// Lease) and for several objects on one line.
func kept(e *Entry, changes []string) []string {
	if r := e.Record; r.Subresource != "status" && r.Resource != "leases" && !e.fold.names {
		return changes
	}
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i], _, _ = strings.Cut(c, " ")
	}
	return names
}

// maxCounted is up to how many objects or clients of a line are counted.
const maxCounted = 1000

// add takes a repeat in.
func (l *Line) add(r *query.Record) {
	l.pause = max(l.pause, r.Time.Sub(l.Until))
	l.Times++
	l.Until = r.Time
	l.Longest = query.Longest(l.Longest, r.Latency)
	if l.fold.names {
		l.Objects = count(&l.objects, l.Object(), r.Object())
	}
	if l.fold.clients || l.fold.nodes {
		l.Clients = count(&l.clients, l.Client(), r.Client())
	}
}

// count adds a text to a set and returns its size. The set holds first, and is nil
// as long as it holds nothing else.
func count(set *map[string]bool, first, text string) int {
	switch {
	case *set == nil && text == first:
		return 1
	case *set == nil:
		*set = map[string]bool{first: true}
	}
	if len(*set) < maxCounted {
		(*set)[text] = true
	}
	return len(*set)
}

// tell puts the line into words.
func (l *Line) tell() {
	if l.Text != "" {
		return
	}
	asked := l.Object() + others(l.Objects)
	if from := l.From(); from != "" && (l.Clients == 1 || !l.fold.version) {
		asked += " from version " + from
	}
	l.Text = l.SentenceOf(l.Client()+others(l.Clients), asked)
}

// others says how many there are beside the one that is named.
func others(n int) string {
	switch {
	case n == 1:
		return ""
	case n >= maxCounted:
		return " and " + strconv.Itoa(n-1) + " or more others"
	}
	return " and " + strconv.Itoa(n-1) + " more"
}

// A Silence is a time in which a node made no request.
type Silence struct {
	Node     string
	From, To audit.Time
	Open     bool // it lasts to the log's end
}

// silent makes lines of silences: one for all that overlap.
func silent(silences []Silence) (lines []*Line) {
	slices.SortStableFunc(silences, func(a, b Silence) int { return cmp.Compare(a.From, b.From) })
	for i := 0; i < len(silences); {
		end, n := silences[i].To, i+1
		for n < len(silences) && silences[n].From <= end {
			end, n = max(end, silences[n].To), n+1
		}
		lines = append(lines, together(silences[i:n]))
		i = n
	}
	return lines
}

// afterTheLastSign moves silences behind the requests that they begin with, the last
// signs of life. A silence begins when that request was received, but the request's
// line stands where it ended, so the silence takes that place and time.
func afterTheLastSign(lines []*Line) {
	for i, l := range lines {
		for j := i + 1; l.Silent > 0 && j < len(lines); j++ {
			if lines[j].Received == l.Time {
				copy(lines[i:j], lines[i+1:j+1])
				l.Time = lines[j-1].Time
				lines[j] = l
				break
			}
		}
	}
}

// together makes one line of silences.
func together(silences []Silence) *Line {
	const most = 5
	var names []string
	var longest time.Duration
	l := &Line{Record: &query.Record{Time: silences[0].From}, Objects: 1, Clients: 1, Mark: true}
	open := false
	for _, s := range silences {
		names = append(names, s.Node)
		longest = max(longest, s.To.Sub(s.From))
		l.Until = max(l.Until, s.To)
		open = open || s.Open
	}
	slices.Sort(names)
	names = slices.Compact(names)
	l.Times, l.Objects, l.Silent = len(silences), len(names), longest.Seconds()
	list := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		list += " and " + strconv.Itoa(more) + " more"
	}
	end := "until " + l.Until.Std().Format(clock)
	if open {
		end = "to the log's end"
	}
	if len(silences) == 1 {
		l.Text = "node " + list + " silent for " + query.Short(longest) + ", " + end
	} else {
		l.Text = strconv.Itoa(len(names)) + " nodes silent for " + query.Short(longest) + " at most, " + end + ": " + list
	}
	return l
}
