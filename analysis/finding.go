package analysis

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A Severity says how bad it is if the finding is true.
type Severity string

// Severities, worst first.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// A Confidence says how sure the log makes us that a finding is true.
type Confidence string

// Confidences, surest first. Possible is for what a healthy cluster may show too.
const (
	Confirmed Confidence = "confirmed"
	Likely    Confidence = "likely"
	Possible  Confidence = "possible"
)

// Rank orders severities: the worse, the higher; 0 is no severity.
func (s Severity) Rank() int { return rank(string(s), "info", "warning", "critical") }

// Rank orders confidences: the surer, the higher; 0 is no confidence.
func (c Confidence) Rank() int { return rank(string(c), "possible", "likely", "confirmed") }

func rank(s string, names ...string) int {
	for i, name := range names {
		if s == name {
			return i + 1
		}
	}
	return 0
}

// A Finding is a claim with its proof.
type Finding struct {
	ID         string     `json:"id"` // made of analyzer and subject; set by the Shard
	Analyzer   string     `json:"analyzer"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Title      string     `json:"title"` // one sentence
	Count      int        `json:"count"` // of what the title counts

	// First and Last are when the trouble began, and when it ended or was last seen.
	First audit.Time `json:"first"`
	Last  audit.Time `json:"last"`

	Subject  Subject    `json:"subject"`
	Details  Details    `json:"details"`  // listed in the analyzer's doc.md
	Evidence []Evidence `json:"evidence"` // a handful of decisive lines, in order of time
	Marks    []Mark     `json:"marks"`    // for the picture and for incidents, at most MaxMarks
	Caveats  []string   `json:"caveats"`  // why it may not be true
	Related  []string   `json:"related"`  // ids of findings in the same story

	// Remedy says what to do, in a sentence or two; "" if the finding is information
	// only. If an incident has the finding, its remedy is the better one.
	Remedy string `json:"remedy,omitempty"`
}

// MaxMarks is the most marks that a finding may have. Coarsen joins marks if there are
// more.
const MaxMarks = 200

// MaxEvidence is the most lines that a finding cites.
const MaxEvidence = 8

// An Evidence is a line of the log that proves a part of a finding.
type Evidence struct {
	Source  string      `json:"source"`
	Line    int         `json:"line"` // from 1
	AuditID string      `json:"auditID"`
	Stage   audit.Stage `json:"stage"`
	Time    audit.Time  `json:"time"` // stageTimestamp
	Summary string      `json:"summary"`

	Offset int64 `json:"-"` // of the line's first byte in Source
}

// Cite turns references into evidence, in order of time and without repeats.
func Cite(refs ...audit.Ref) []Evidence {
	refs = sortedRefs(refs)
	evidence := make([]Evidence, len(refs))
	for i, r := range refs {
		evidence[i] = Evidence{
			Source: r.Source, Line: r.Line, AuditID: r.AuditID, Stage: r.Stage,
			Time: r.Time, Summary: r.Summary, Offset: r.Offset,
		}
	}
	return evidence
}

// CiteFirst makes evidence of the first references, as many as a finding may cite.
func CiteFirst(refs []audit.Ref) []Evidence { return Cite(refs[:min(len(refs), MaxEvidence)]...) }

// A Mark is a span of time to draw: a watch round, an outage, a session.
type Mark struct {
	Kind string     `json:"kind"`
	From audit.Time `json:"from"`
	To   audit.Time `json:"to"`
	N    int        `json:"n"` // how many it stands for

	// Label says what the mark belongs to if the finding is about several things, such
	// as a node's name.
	Label string `json:"label,omitempty"`
}

// Details are the facts of a finding, under names that scripts rely on. Values are
// numbers, strings, booleans, and lists and maps of these. In a report that was read
// from JSON all numbers are float64, so read them with the methods.
type Details map[string]any

// Int returns the number under name, or 0.
func (d Details) Int(name string) int { return int(d.Float(name)) }

// Float returns the number under name, or 0.
func (d Details) Float(name string) float64 {
	switch v := d[name].(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// Text returns the string under name, or "".
func (d Details) Text(name string) string {
	s, _ := d[name].(string)
	return s
}

// setID makes the finding's id of its analyzer, subject and kind, so that the same trouble
// has the same id in every report. nth tells findings of one subject apart.
func (f *Finding) setID(nth int) {
	h := fnv.New32a()
	s := f.Subject
	for _, field := range []string{
		f.Analyzer, s.User, s.UserAgent, s.SourceIP, s.APIGroup, s.Resource,
		s.Namespace, s.Name, s.Subresource, s.Node, f.Details.Text("kind"),
	} {
		h.Write([]byte(field))
		h.Write([]byte{0})
	}
	if nth > 0 {
		fmt.Fprintf(h, "%d", nth)
	}
	f.ID = fmt.Sprintf("%s/%08x", f.Analyzer, h.Sum32())
}

// Compare is the canonical order of findings: worst first, then surest, then
// earliest, then by analyzer and subject.
func (f *Finding) Compare(g *Finding) int {
	return cmp.Or(
		cmp.Compare(g.Severity.Rank(), f.Severity.Rank()),
		cmp.Compare(g.Confidence.Rank(), f.Confidence.Rank()),
		cmp.Compare(f.First, g.First),
		strings.Compare(f.Analyzer, g.Analyzer),
		f.Subject.Compare(g.Subject),
		cmp.Compare(f.Last, g.Last),
		strings.Compare(f.Title, g.Title),
	)
}

// SortFindings puts findings in their canonical order: see Finding.Compare.
func SortFindings(findings []Finding) {
	slices.SortFunc(findings, func(a, b Finding) int { return a.Compare(&b) })
}
