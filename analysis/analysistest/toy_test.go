package analysistest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const toyDoc = `# denied: users who are denied again and again

## What it finds
Denials.
## Why it happens
Rights are missing.
## How the evidence looks
Code 403.
## What the audit policy must record
Metadata, ResponseComplete.
## What it does not flag
A few.
## Options
` + "`denials`" + ` is how many are many.
## What to do
Grant them, or don't.
`

// A denial is what a toy knows of one user. It keeps the law.
type denial struct {
	Times   int
	Objects map[string]bool
	Span    tally.Span
	Refs    tally.Refs
}

func (d *denial) Observe(e *audit.Event) {
	d.Times++
	d.Objects[e.Name.String()] = true
	d.Span.Add(e.At)
	d.Refs.Add(e)
}

func (d *denial) Merge(o analysis.State) {
	other := o.(*denial)
	d.Times += other.Times
	maps.Copy(d.Objects, other.Objects)
	d.Span.Merge(other.Span)
	d.Refs.Merge(&other.Refs)
}

func (d *denial) Report(p *analysis.Pass) {
	if f, ok := d.finding(p); ok {
		p.Report(f)
	}
}

func (d *denial) finding(p *analysis.Pass) (f analysis.Finding, ok bool) {
	if d.Times < p.Int("denials") || d.Times == 0 {
		return f, false
	}
	return analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Confirmed, Count: d.Times,
		Title: fmt.Sprintf("%s was denied %d times on %d objects", p.Key.User, d.Times, len(d.Objects)),
		First: d.Span.First, Last: d.Span.Last,
		Details:  analysis.Details{"objects": slices.Sorted(maps.Keys(d.Objects))},
		Evidence: analysis.Cite(d.Refs.Refs...),
		Caveats:  []string{"no body shows why"},
	}, true
}

func toy() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "denied", Doc: toyDoc,
		Options: []analysis.Option{{Name: "denials", Default: 3, Unit: "denials", Doc: "Fewer are a mistake."}},
		Keys: func(e *audit.Event, keys []analysis.Key) []analysis.Key {
			if e.Code != 403 || e.Stage != audit.StageResponseComplete {
				return keys
			}
			return append(keys, analysis.Key{User: e.User})
		},
		New: func() analysis.State { return &denial{Objects: map[string]bool{}, Refs: tally.Refs{K: 3}} },
	}
}

// A faulty is a denial that breaks the contract in one way.
type faulty struct {
	denial
	Fault string
	Seen  []string
}

func (f *faulty) Observe(e *audit.Event) {
	f.denial.Observe(e)
	switch f.Fault {
	case "it shows the last object it met":
		f.Seen = []string{e.Name.String()}
	case "it keeps the first object it met":
		if len(f.Seen) == 0 {
			f.Seen = append(f.Seen, e.Name.String())
		}
	case "it keeps a part of the event":
		f.Seen = append(f.Seen, analysis.NameOf(e.Name))
	case "it counts on source IPs":
		f.Seen = []string{e.SourceIPs[0].String()}
	}
}

func (f *faulty) Merge(o analysis.State) {
	other := o.(*faulty)
	if f.Fault == "its Merge loses" {
		return
	}
	f.denial.Merge(&other.denial)
	if len(f.Seen) == 0 {
		f.Seen = other.Seen
	}
}

func (f *faulty) Report(p *analysis.Pass) {
	found, ok := f.finding(p)
	if !ok {
		return
	}
	switch f.Fault {
	case "its Report counts":
		f.Times++
	case "it proves nothing":
		found.Evidence = nil
	case "it cites a line that is not there":
		found.Evidence[0].Offset++
	case "its title has two lines":
		found.Title += "\n"
	case "its window is elsewhere":
		found.Last++
		found.First = found.Last
	default:
		found.Details["seen"] = f.Seen
	}
	p.Report(found)
}

// saved is a state of which encoding/json loses parts.
type saved struct {
	denial
	times  int
	again  int `cache:"times"` // is no part of what is saved
	BySize map[int]string
	Verb   audit.Sym
	Path   audit.View
	Any    any
	Skip   int `json:"-"`
}

func (s *saved) Observe(*audit.Event) { s.times, s.again = s.times+1, s.times }
