package parser

import (
	"slices"
	"strings"
	"testing"
)

// ownRecord is an event as kaudit events -o jsonl prints it.
const ownRecord = `{"time":"2026-01-05T09:00:00.010000Z","received":"2026-01-05T09:00:00.000000Z","latencySeconds":0.01,"stage":"ResponseComplete","level":"Metadata",` +
	`"verb":"get","code":200,"user":"alice","path":"/readyz","auditID":"a","source":"audit.log","line":1}`

// TestWhatIsNoAuditLogIsNamed: who gives the wrong file learns which it is.
func TestWhatIsNoAuditLogIsNamed(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{carrierCases(t)["other-audits"]["input"], "Rancher's own API audit log"},
		{`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"b"}}`, "kube-audit-rest"},
		{`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Event","involvedObject":{"kind":"Pod"},"message":"Pulled"}]}`, "kubectl get events"},
		{"I0105 09:00:00.000000       1 server.go:1] \"Starting\"\n", "the own log of an API server or kubelet, which tells of requests at -v=3 and above"},
		{criTime + " stderr F I0105 09:00:00.000000       1 server.go:1] \"Starting\"\n", "the own log of an API server or kubelet, which tells of requests at -v=3 and above"},
		{criTime + " stdout F hello\n", "records of the format cri that carry something other than audit events"},
		{`{"level":"info","ts":1}`, "JSON of another kind"},
		{ownRecord + "\n", "kaudit events -o raw prints what can be read again"},
		{`{"apiVersion": "kaudit/v1", "kind": "Events", "events": [` + "\n  " + ownRecord + ",\n  " + ownRecord + "\n]}\n", "kaudit events -o raw prints what can be read again"},
		{"hello\n", "text of another kind"},
		{strings.ReplaceAll(event("a"), "2026-", "9999-"), "broken audit events: kaudit formats FILE says what is wrong with them"},
		{"<html>\n<body>502</body>\n", "XML or HTML of another kind"},
		{"<Data>" + event("a") + "</Data>\n", "XML or HTML of another kind"},
		{"a,ResponseComplete,/api\n", "without a line that names its columns"},
	} {
		r := NewReader([]*Log{NewLog("f", strings.NewReader(c.input))}, Options{Ordered: true})
		var chunk Chunk
		var d Decoder
		var looks Shapes
		for r.Next(t.Context(), &chunk) == nil {
			for d.Reset(&chunk); d.Next(); {
				t.Errorf("%s: an event", c.input)
			}
			stats := d.Stats()
			looks |= stats.Looks
		}
		r.Close()
		if got := looks.Look(); !strings.Contains(got, c.want) {
			t.Errorf("%s: it looks like %q, want %q", c.input, got, c.want)
		}
	}
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"a,ResponseComplete,/api\n", "no line above it names its columns"},
		{"\"a\"\t\"RequestReceived\"\t\"/api\"\n", "no line above it names its columns"},
		{strings.ReplaceAll(event("a"), "2026-", "9999-"), "an audit event of the year 9999, which no clock shows"},
		{strings.ReplaceAll(event("a"), "2026-01-05T09:00:00.000100Z", "2300-01-05T09:00:00Z"), "an audit event of the year 2300"},
		{strings.ReplaceAll(event("a"), "2026-", "1969-"), "an audit event of the year 1969, which was before Kubernetes"},
		{strings.ReplaceAll(event("a"), "2026-01-05T09:00:00.000000Z", "0900-01-05T09:00:00.000000Z"), "an audit event of the year 900"},
		{strings.NewReplacer(`"requestReceivedTimestamp"`, `"r"`, `"stageTimestamp"`, `"s"`).Replace(event("a")), "an audit event without a time"},
		{strings.Replace(event("a"), `"verb":"get"`, `"verb":1`, 1), "an audit event with a field that Kubernetes would not read"},
		{strings.Replace(event("a"), `"user":{}`, `"requestObject":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000), 1), "nested too deep"},
		{strings.Replace(event("a"), `"user":{}`, `"requestObject":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 9_999), 1), "parts of an audit event"},
		{"<?xml version='1.0'?>\n", "markup of XML or HTML, with no event in it"},
		{"</result>\n", "markup of XML or HTML, with no event in it"},
		{"<Data>" + event("a") + "</Data>\n", "an audit event inside of XML or HTML that no carrier explains"},
		{"<3 is a heart>\n", "text that is no JSON"},
		{"AuditId,RequestUri\n", "the names of a CSV's columns"},
		{"the stage is ResponseComplete, or so\n", "text that is no JSON"},
		{"[{\"a\":1}\n", "ends before it is closed"},
		{"{\"kind\":\"Event\",\n", "a JSON object that ends"},
		{"2026-01-05T09:00:00.123456789Z AUDIT: id=\"a\"\n", "in the text form that ends"},
	} {
		r := NewReader([]*Log{NewLog("f", strings.NewReader(c.input))}, Options{Ordered: true})
		var chunk Chunk
		var d Decoder
		var got []string
		for r.Next(t.Context(), &chunk) == nil {
			for d.Reset(&chunk); d.Next(); {
			}
			for _, refused := range d.Stats().Refused {
				got = append(got, refused.Why)
			}
		}
		r.Close()
		if !slices.ContainsFunc(got, func(why string) bool { return strings.Contains(why, c.want) }) {
			t.Errorf("%s: refused as %q, want %q", c.input, got, c.want)
		}
	}
}
