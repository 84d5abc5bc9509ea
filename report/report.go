// Package report holds the Report, which is all that a scan prints, and one
// renderer a file. Renderers add nothing: a report that was saved as JSON and
// read again gives every other form.
//
//	driver's result -> New -> Report -> Table, HTML, Markdown, JSON, YAML
//	                saved JSON -> Read -> Report
//
// Text from a log is hostile. Table, HTML and Markdown show it through Clean;
// JSON and YAML escape what a terminal would obey.
package report

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/audit"
)

// APIVersion and Kind say what a JSON object is. The version is raised when a
// field changes its meaning; a new field changes nothing for those who do not
// read it. docs/report.schema.json describes every field.
const (
	APIVersion = "kaudit/v1"
	Kind       = "Report"
)

// A Report is what a scan found, of what, and what it could not see.
//
// The same logs give the same bytes: there is no clock, no duration and no
// number of workers in it. Only a partial report depends on when it was cut.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"` // of kaudit
	Partial    bool   `json:"partial"` // the scan was interrupted

	Input    Input             `json:"input"`
	Overview analysis.Overview `json:"overview"`
	Notes    []analysis.Note   `json:"notes"`
	Blind    []analysis.Blind  `json:"blind"`
	Overflow map[string]int    `json:"overflow"` // keys left out, by analyzer
	Hidden   Hidden            `json:"hidden"`

	Incidents []incident.Incident `json:"incidents"`
	Findings  []analysis.Finding  `json:"findings"` // all, shown or not
}

// An Input says what was read.
type Input struct {
	Events     int64            `json:"events"`
	Requests   int64            `json:"httplogRequests"` // that own logs of API servers tell of
	Counted    int64            `json:"httplogCounted"`  // of those, where no audit events tell of them
	OwnLines   int64            `json:"klogLines"`       // of own logs, that say what went wrong
	Lines      int64            `json:"lines"`
	Bytes      int64            `json:"bytes"` // unwrapped
	First      audit.Time       `json:"first"`
	Last       audit.Time       `json:"last"`
	Stages     map[string]int64 `json:"stages"`     // events by stage
	Levels     map[string]int64 `json:"levels"`     // events by level
	Skipped    map[string]int64 `json:"skipped"`    // what is no audit event, by kind
	Refused    []Refused        `json:"refused"`    // where the first of these stand
	Selected   *int64           `json:"selected"`   // events that the analyzers saw; nil: all
	Duplicates *int64           `json:"duplicates"` // nil: not looked for
	OutOfOrder int64            `json:"outOfOrder"`
	Sources    []Source         `json:"sources"` // by name
	Passed     []Passed         `json:"passed"`  // files that were not read
	Errors     []string         `json:"errors"`
}

// told reports whether anything was read that tells of the cluster.
func (in *Input) told() bool { return in.Events+in.Requests+in.OwnLines > 0 }

// A Source is a file that was read, a member of an archive, ARCHIVE!PATH, or
// standard input.
type Source struct {
	Name      string           `json:"name"`
	Log       string           `json:"log"`       // of which it is a part: its own name, unless it was rotated
	Label     string           `json:"label"`     // the server that wrote it and its node, where its path tells; or the labels of its log's lines
	Container string           `json:"container"` // what it is packed in, outermost first: "gzip/tar"
	Format    string           `json:"format"`
	Events    int64            `json:"events"`
	Requests  int64            `json:"httplogRequests"`
	OwnLines  int64            `json:"klogLines"`
	Lines     int64            `json:"lines"`
	Bytes     int64            `json:"bytes"`
	Skipped   map[string]int64 `json:"skipped"`
	Error     string           `json:"error"`
}

// A Refused is a line that is no audit event.
type Refused struct {
	Source string `json:"source"`
	Line   int    `json:"line"` // from 1
	Kind   string `json:"kind"` // malformed, truncated, foreign, oversize, klog
	Why    string `json:"why"`
}

// A Passed is a file that was passed over, and why.
type Passed struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Hidden counts the findings that the minima keep out of the table, each once:
// by its confidence if that is too low, else by its severity.
type Hidden struct {
	Possible int `json:"possible"`
	Likely   int `json:"likely"`
	Info     int `json:"info"`
	Warning  int `json:"warning"`
}

// Sum returns how many findings are hidden.
func (h Hidden) Sum() int { return h.Possible + h.Likely + h.Info + h.Warning }

// New completes what a scan has found to a report: it orders the findings,
// ties them to incidents, counts what the minima of o hide, and makes empty
// lists of nil ones, so that JSON has [] and not null. It takes r's findings
// over.
func New(r Report, o Options) *Report {
	r.APIVersion, r.Kind = APIVersion, Kind
	slices.SortStableFunc(r.Findings, func(f, g analysis.Finding) int { return f.Compare(&g) })
	r.Incidents = incident.Find(r.Findings)
	slices.SortFunc(r.Input.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	r.fill()
	r.Hide(o)
	return &r
}

// Hide counts anew what the minima of o hide.
func (r *Report) Hide(o Options) {
	r.Hidden, _ = r.countHidden(o)
}

func (r *Report) fill() {
	in := &r.Input
	in.Stages, in.Levels, in.Skipped = orNone(in.Stages), orNone(in.Levels), orNone(in.Skipped)
	for i := range in.Sources {
		in.Sources[i].Skipped = orNone(in.Sources[i].Skipped)
	}
	in.Refused, in.Sources, in.Passed = orEmpty(in.Refused), orEmpty(in.Sources), orEmpty(in.Passed)
	in.Errors = orEmpty(in.Errors)
	v := &r.Overview
	v.Requests, v.Errors, v.Clients = orEmpty(v.Requests), orEmpty(v.Errors), orEmpty(v.Clients)
	v.Latency.BoundsMicros, v.Latency.Counts = orEmpty(v.Latency.BoundsMicros), orEmpty(v.Latency.Counts)
	r.Notes, r.Blind, r.Overflow = orEmpty(r.Notes), orEmpty(r.Blind), orNone(r.Overflow)
	r.Incidents, r.Findings = orEmpty(r.Incidents), orEmpty(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Evidence, f.Marks = orEmpty(f.Evidence), orEmpty(f.Marks)
		f.Caveats, f.Related = orEmpty(f.Caveats), orEmpty(f.Related)
		f.Details = orNone(f.Details)
	}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func orNone[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}
