package parser

import (
	"bytes"
	"slices"
	"strings"
)

// A csvLine is a kind of CSV that has a line of a log in one column. Its fields
// are names of columns, separated by blanks where the first that exists counts.
type csvLine struct {
	shape  Shape
	line   string // the column of the line
	beside string // one of these must exist as well; empty for none
	label  string // names the log; labelsColumn is an object of labels
	stamp  string // the carrier's time
	cut    bool   // the exporter cuts texts that are too long for it
}

// labelsColumn is Grafana's column of a line's labels.
const labelsColumn = "labels"

// csvLines are exports of CloudWatch Logs Insights, of Log Analytics, of
// Splunk, of Grafana, of Kibana and of CloudWatch's console.
var csvLines = []csvLine{
	{shape: CloudWatch, line: "@message", label: "@logStream", stamp: "@timestamp", cut: true},
	{shape: AKS, line: "log_s", label: "pod_s", stamp: "TimeGenerated", cut: true},
	{shape: CSV, line: "LogMessage", beside: "TimeGenerated", label: "PodName", stamp: "TimeGenerated"},
	{shape: CSV, line: "LogEntry", beside: "TimeGenerated", label: "Computer", stamp: "TimeGenerated"},
	{shape: Splunk, line: "_raw", label: "host", stamp: "_time", cut: true},
	{shape: Loki, line: "Line", beside: "Time tsNs", label: labelsColumn, stamp: "tsNs Time"},
	{shape: CSV, line: "textPayload", beside: "timestamp", stamp: "timestamp", cut: true},
	{shape: CSV, line: "message", beside: timePaths, label: "logStreamName " + nodePaths, stamp: timePaths},
}

// csvLineHeadOf returns the head that a line is if the rows below have a line of
// a log in one column, else nil.
func csvLineHeadOf(line []byte) *csvHead {
	for i := range csvLines {
		l := &csvLines[i]
		if !bytes.Contains(line, []byte(l.line)) {
			continue
		}
		for _, comma := range []byte(commas) {
			head := csvHead{comma: comma, line: l}
			for i := 0; i >= 0; {
				var name []byte
				name, i = head.field(nil, line, i)
				head.names = append(head.names, strings.TrimSuffix(strings.TrimSpace(string(name)), " [UTC]"))
			}
			if head.has(l.line) && (l.beside == "" || head.first(l.beside) >= 0) {
				return &head
			}
		}
	}
	return nil
}

// first returns the column of the first of some names that is there, or -1.
func (h *csvHead) first(names string) int {
	for name := range strings.FieldsSeq(names) {
		if n := slices.Index(h.names, name); n >= 0 {
			return n
		}
	}
	return -1
}

// openLineRow opens a row that has a line in one column. It reports false if
// the row has other columns, as one of another export, or the rest of one that
// runs over several lines.
func (d *Decoder) openLineRow(t *text, head *csvHead) bool {
	line, label, stamp := head.first(head.line.line), head.first(head.line.label), head.first(head.line.stamp)
	var in text
	n, i := 0, 0
	for ; i >= 0 && n < len(head.names); n++ {
		at, from := i, len(d.arena)
		d.arena, i = head.field(d.arena, t.data, i)
		field := d.arena[from:len(d.arena):len(d.arena)]
		switch n {
		case line:
			in.data, in.offset = field, int64(at)
		case label:
			in.label = field
		case stamp:
			in.stamp = field
		default:
			d.arena = d.arena[:from]
		}
	}
	if len(in.data) == 0 || i >= 0 || n < len(head.names) {
		return false
	}
	out := t.holding(in.data, int(in.offset))
	out.label, out.stamp, out.cut = in.label, in.stamp, head.line.cut
	if head.line.label == labelsColumn {
		out.label = labelAmong(in.label)
	}
	if out.shapes = out.shapes.with(CSV); head.line.shape != CSV {
		out.shapes = out.shapes.with(head.line.shape)
	}
	d.hold(out)
	return true
}

// labelAmong returns the value of the label that names the line's node or pod, or
// nil.
func labelAmong(object []byte) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	for _, name := range placeLabels {
		if at, ok := member(object, 0, name); ok {
			return scalar(object, at)
		}
	}
	return nil
}
