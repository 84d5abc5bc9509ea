package parser

import "strings"

// A Shape is a form that events travel in, or a known form of something that is
// no audit event.
type Shape uint8

// The shapes, in the order in which they are listed for a part that has
// several. docs/carriers.md says what each is.
const (
	Plain Shape = iota // events as they are: a line, a list, a document
	CRI
	DockerJSON
	Timestamps
	PodPrefix
	Stern
	Journald
	Syslog
	Prefix
	CSV
	FluentdText
	FluentBit
	Filebeat
	Vector
	ViaQ
	OTLP
	Loki
	Elasticsearch
	Splunk
	GELF
	CloudWatch
	Kinesis
	AKS
	AKSTable
	GKE
	SLS
	JSONLog
	Legacy // events in the text form of --audit-log-format=legacy
	RancherAudit
	KubeAuditREST
	kubeEvents
	ownList
	otherJSON
	ownLog
	otherText
	otherMarkup
	oddEvents
	shapes
)

var shapeNames = [shapes]string{
	Plain: "plain", CRI: "cri", DockerJSON: "docker-json", Timestamps: "timestamps", PodPrefix: "pod-prefix",
	Stern: "stern", Journald: "journald", Syslog: "syslog", Prefix: "prefix", CSV: "csv", FluentdText: "fluentd-text",
	FluentBit: "fluent-bit", Filebeat: "filebeat", Vector: "vector", ViaQ: "viaq", OTLP: "otlp", Loki: "loki",
	Elasticsearch: "elasticsearch", Splunk: "splunk", GELF: "gelf", CloudWatch: "cloudwatch", Kinesis: "kinesis", AKS: "aks", AKSTable: "aks-table",
	GKE: "gke", SLS: "sls", JSONLog: "json-log", Legacy: "legacy", RancherAudit: "rancher-audit", KubeAuditREST: "kube-audit-rest",
	kubeEvents: "kube-events", ownList: "kaudit-events", otherJSON: "json", ownLog: "klog", otherText: "text", otherMarkup: "markup", oddEvents: "odd-events",
}

// String returns the shape as the report names it.
func (s Shape) String() string { return shapeNames[s] }

// Shapes is a set of shapes.
type Shapes uint64

func (s Shapes) with(shape Shape) Shapes { return s | 1<<shape }

// Has reports whether s holds the shape.
func (s Shapes) Has(shape Shape) bool { return s>>shape&1 != 0 }

// Format names the carriers in which a part's events travelled, and the part's
// own form if some events had no carrier.
func (s Shapes) Format(form string) string {
	var names []string
	if s == 0 || s.Has(Plain) {
		names = append(names, form)
	}
	for shape := Plain + 1; shape < kubeEvents; shape++ {
		if s.Has(shape) {
			names = append(names, shape.String())
		}
	}
	return strings.Join(names, "+")
}

// forms are the two ways to cut a part into records, by the names that the
// report gives them.
const (
	linesForm    = "jsonl"
	documentForm = "json"
)

// A Format is what --format forces: a carrier, or how records are separated.
// The zero value lets the content decide.
type Format struct {
	name string
	only Shapes
}

// FormatNames lists the names that FormatNamed knows.
func FormatNames() []string {
	names := []string{linesForm, documentForm}
	for shape := Plain; shape < kubeEvents; shape++ {
		if shape != RancherAudit && shape != KubeAuditREST { // they hold no event
			names = append(names, shape.String())
		}
	}
	return names
}

// FormatNamed returns the format with the given name.
func FormatNamed(name string) (Format, bool) {
	if name == linesForm || name == documentForm {
		return Format{name: name}, true
	}
	for shape := Plain; shape < kubeEvents; shape++ {
		if shape.String() == name {
			return Format{only: Shapes(0).with(shape)}, true
		}
	}
	return Format{}, false
}

// Only returns the set of carriers of which an event must have come in one; 0
// accepts any.
func (f Format) Only() Shapes { return f.only }
