package parser

import "strings"

// A Shape is the form that events travel in, or that of something which is no
// audit event and is known.
type Shape uint8

// The shapes, in the order in which they are named where a part has several.
const (
	Plain Shape = iota // events as they are: a line, a list, a document
	CRI
	DockerJSON
	Timestamps
	PodPrefix
	Journald
	Syslog
	FluentdText
	CSV
	Prefix
	Envelope
	shapes
)

var shapeNames = [shapes]string{
	Plain: "plain", CRI: "cri", DockerJSON: "docker-json", Timestamps: "timestamps", PodPrefix: "pod-prefix",
	Journald: "journald", Syslog: "syslog", FluentdText: "fluentd-text", CSV: "csv", Prefix: "prefix", Envelope: "envelope",
}

// String returns the shape as the report names it.
func (s Shape) String() string { return shapeNames[s] }

// Shapes is a set of them.
type Shapes uint64

func (s Shapes) with(shape Shape) Shapes { return s | 1<<shape }

// Has reports whether s holds the shape.
func (s Shapes) Has(shape Shape) bool { return s>>shape&1 != 0 }

// Format says in what a part's events travelled: the names of their carriers,
// and of the part's own form where there are events without one.
func (s Shapes) Format(form string) string {
	var names []string
	if s == 0 || s.Has(Plain) {
		names = append(names, form)
	}
	for shape := Plain + 1; shape < shapes; shape++ {
		if s.Has(shape) {
			names = append(names, shape.String())
		}
	}
	return strings.Join(names, "+")
}
