// Package report holds the Report, which is all that a scan prints, and its
// renderers. A renderer uses nothing but the Report, so a report that was saved as
// JSON and read again can be shown in every other form.
//
//	driver's result -> New -> Report -> Table, HTML, Markdown, JSON, YAML
//	                saved JSON -> Read -> Report
//
// Text from a log is hostile. Table, HTML and Markdown show it through Clean;
// JSON and YAML escape what a terminal would act on.
package report

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/audit"
)

// APIVersion and Kind identify the JSON object. The version is raised when a field
// changes its meaning, but not for a new field. docs/report.schema.json describes
// every field.
const (
	APIVersion = "kaudit/v1"
	Kind       = "Report"
)

// A Report is what a scan read, what it found, and what it could not see.
//
// The same logs give the same bytes: it has no time of the scan, no duration
// and no number of workers. Only a partial report differs, by when the scan was
// interrupted.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"` // of kaudit
	Partial    bool   `json:"partial"` // the scan was interrupted

	Input    Input             `json:"input"`
	Overview analysis.Overview `json:"overview"`
	Notes    []analysis.Note   `json:"notes"`
	Blind    []analysis.Blind  `json:"blind"`
	Overflow map[string]int    `json:"overflow"` // by analyzer, how many states or findings were dropped, about
	Hidden   Hidden            `json:"hidden"`

	Incidents []incident.Incident `json:"incidents"`
	Findings  []analysis.Finding  `json:"findings"` // all of them, hidden or not
}

// An Input says what was read.
type Input struct {
	Events     int64            `json:"events"`
	Requests   int64            `json:"httplogRequests"` // in API servers' own logs (httplog)
	Counted    int64            `json:"httplogCounted"`  // those of Requests that no audit event tells of
	OwnLines   int64            `json:"klogLines"`       // lines of own logs that say what went wrong
	Lines      int64            `json:"lines"`
	Bytes      int64            `json:"bytes"`      // uncompressed
	First      audit.Time       `json:"first"`      // the earliest stageTimestamp, without wrong clocks
	Last       audit.Time       `json:"last"`       // the latest, likewise
	Stages     map[string]int64 `json:"stages"`     // events by stage
	Levels     map[string]int64 `json:"levels"`     // events by level
	Skipped    map[string]int64 `json:"skipped"`    // lines that are no audit events, by kind
	Refused    []Refused        `json:"refused"`    // where the first few of each kind stand
	Selected   *int64           `json:"selected"`   // events that filters chose; nil without filters
	Since      audit.Time       `json:"since"`      // events before it were left out; zero if none were
	Until      audit.Time       `json:"until"`      // events after it were left out; zero if none were
	Duplicates *int64           `json:"duplicates"` // events dropped as copies; nil if not looked for
	OutOfOrder int64            `json:"outOfOrder"` // events earlier than the one before them in their log
	Sources    []Source         `json:"sources"`    // sorted by name
	Passed     []Passed         `json:"passed"`     // files that were not read
	Errors     []string         `json:"errors"`     // what could not be read, and why
}

// told reports whether anything was read that says something about the cluster.
func (in *Input) told() bool { return in.Events+in.Requests+in.OwnLines > 0 }

// A Source is a file that was read, a member of an archive, ARCHIVE!PATH, or
// standard input.
type Source struct {
	Name      string           `json:"name"`
	Log       string           `json:"log"`       // the log that it is a part of; its own name if it was not rotated
	Label     string           `json:"label"`     // the server that wrote it and its node, by its path, or the labels of its lines
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

// New completes r, which holds what a scan has found: it sorts the findings,
// ties them to incidents, counts what the minima of o hide, and replaces nil
// lists by empty ones, so that JSON has [] and not null. The report owns r's
// findings from then on.
func New(r Report, o Options) *Report {
	r.APIVersion, r.Kind = APIVersion, Kind
	slices.SortStableFunc(r.Findings, func(f, g analysis.Finding) int { return f.Compare(&g) })
	r.Incidents = incident.Find(r.Findings, r.Input.Since)
	slices.SortFunc(r.Input.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	r.fill()
	r.Hide(o)
	return &r
}

// Hide counts again what the minima of o hide.
func (r *Report) Hide(o Options) {
	r.Hidden, _ = r.countHidden(o)
}

// fill replaces nil lists and maps by empty ones.
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
