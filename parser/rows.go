package parser

// A row describes an envelope: how it is recognized and where it holds what. Paths
// are separated by blanks, the steps of a path by dots.
//
// A new carrier whose objects hold events, as objects or as strings, is one row.
// One that tells events in other words also has an open function, in a file of
// its own.
type row struct {
	shape Shape
	need  string // keys that it must have at the top
	in    string // paths to what it carries; the first that leads to something counts
	label string // paths to what names the log: a node, a pod, a stream
	stamp string // paths to the carrier's own time
	cut   bool   // it cuts texts that are too long for it
	own   bool   // it has keys of an event itself, so open must check that it is none
	plain bool   // many programs write it, so it is reported only if no other carrier was found
	whole bool   // it spreads an event over several values, so one that was cut off holds none
	// open, if set, is called with the value that the first key of the path has. It
	// reports whether that was a value of this carrier.
	open func(d *Decoder, t text, at place) bool
}

// Where shippers put the node or pod that a line is from, and the time. Nodes
// come before pods: a node has one API server, whose pod may be replaced by one
// of another name.
const (
	nodePaths = "kubernetes.host kubernetes.node_name kubernetes.pod_node_name kubernetes.node.name kubernetes.pod_name kubernetes.pod.name " +
		"hostname host.name host.hostname host node_name node nodeName"
	timePaths = "time timestamp @timestamp ts date _time"
)

// aliases are other names of keys: OpenTelemetry's as they stand in its protocol,
// which some writers keep; the names of its scopes before 1.0; and Kusto's name
// of its tables.
var aliases = map[string]string{
	"resource_logs": "resourceLogs", "scope_logs": "scopeLogs", "log_records": "logRecords", "time_unix_nano": "timeUnixNano",
	"observed_time_unix_nano": "observedTimeUnixNano", "string_value": "stringValue", "bytes_value": "bytesValue", "kvlist_value": "kvlistValue",
	"instrumentationLibraryLogs": "scopeLogs", "instrumentation_library_logs": "scopeLogs",
	"Tables": "tables",
}

// rows are tried in this order: the ones that need more come first.
var rows = [...]row{
	// What audits something else.
	{shape: KubeAuditREST, need: "apiVersion request", in: "apiVersion", open: refuseReview},
	{shape: RancherAudit, need: "auditID remoteAddr requestTimestamp", in: "remoteAddr", open: refuseOther},
	{shape: RancherAudit, need: "auditID requestURI user stage", in: "user", own: true, open: refuseRancher},

	// What tells an event in other words: rows of Alibaba Cloud's Log Service and
	// of Azure's AKSAudit, entries of Google's Cloud Logging.
	{shape: SLS, need: "auditID stage user", in: "user", label: "__source__", own: true, whole: true, open: openSLSRow},
	{shape: AKSTable, need: "AuditId RequestUri", in: "AuditId", label: "PodName", whole: true, open: openAKSRow},
	{shape: GKE, need: "protoPayload timestamp", in: "protoPayload", whole: true, open: openGKE},

	// Kinesis and Firehose: what they hand to HTTP and to Lambda, and aws kinesis
	// get-records; what Lambda gets of CloudWatch.
	{shape: Kinesis, need: "requestId records", in: "records.[]"},
	{shape: Kinesis, need: "invocationId records", in: "records.[]"},
	{shape: Kinesis, need: "Records", in: "Records.[].kinesis Records.[]"},
	{shape: Kinesis, need: "Data", in: "Data", open: openBlob},
	{shape: Kinesis, need: "data", in: "data", open: openBlob},
	{shape: CloudWatch, need: "awslogs", in: "awslogs"},

	// Azure Kubernetes Service: Event Hub and Storage; Log Analytics.
	{shape: AKS, need: "records", in: "records.[]"},
	{shape: AKS, need: "category properties", in: "properties", label: "properties.pod", stamp: "time", cut: true},
	{shape: AKS, need: "tables", in: "tables", open: openTables},
	{shape: AKS, need: "properties", in: "properties.log", cut: true},
	{shape: AKS, need: "log_s", in: "log_s", label: "pod_s", stamp: "TimeGenerated", cut: true},

	// Amazon CloudWatch Logs: a subscription's batch, filter-log-events and
	// get-log-events, the console's export, Logs Insights.
	{shape: CloudWatch, need: "logEvents", in: "logEvents.[]", label: "logStream", cut: true},
	{shape: CloudWatch, need: "message logStreamName", in: "message", label: "logStreamName", stamp: "timestamp", cut: true},
	{shape: CloudWatch, need: "message ingestionTime", in: "message", stamp: "timestamp", cut: true},
	{shape: CloudWatch, need: "@message", in: "@message", label: "@logStream", stamp: "@timestamp", cut: true},
	{shape: CloudWatch, need: "results", in: "results", cut: true, open: openInsights},
	{shape: CloudWatch, need: "events", in: "events.[]"},

	// Loki: answers of its API, what is pushed to it, logcli -o jsonl, Grafana.
	{shape: Loki, need: "data status", in: "data.result.[]"},
	{shape: Loki, need: "streams", in: "streams.[]"},
	{shape: Loki, need: "stream values", in: "values", label: "stream.node stream.node_name stream.nodename stream.instance stream.hostname stream.host stream.pod", open: openStream},
	{shape: Loki, need: "values", in: "values", open: openPairs},
	{shape: Loki, need: "data", in: "data.result.[]"},
	{shape: Loki, need: "line labels", in: "line", label: "labels.node labels.node_name labels.nodename labels.instance labels.hostname labels.host labels.pod", stamp: "timestamp"},
	{shape: Loki, need: "line timestamp", in: "line", label: "fields.node fields.node_name fields.nodename fields.instance fields.hostname fields.host fields.pod", stamp: "timestamp"},
	{shape: Loki, need: "_entry", in: "_entry"},

	// Elasticsearch and OpenSearch: an answer, a dump's line.
	{shape: Elasticsearch, need: "hits", in: "hits.hits.[] hits.[]"},
	{shape: Elasticsearch, need: "_source", in: "_source"},
	{shape: Elasticsearch, need: "_index fields", in: "fields.message.[] fields.log.[]"},

	// Splunk: an export's line, an answer's rows, what the HTTP collector takes.
	{shape: Splunk, need: "preview result", in: "result"},
	{shape: Splunk, need: "fields rows", in: "rows", cut: true, open: openSplunkRows},
	{shape: Splunk, need: "fields columns", in: "columns", cut: true, open: openSplunkColumns},
	{shape: Splunk, need: "results", in: "results.[]"},
	{shape: Splunk, need: "_raw", in: "_raw", label: "host", stamp: "_time", cut: true},
	{shape: Splunk, need: "event sourcetype", in: "event", label: "host", stamp: "time"},
	{shape: Splunk, need: "event time", in: "event", label: "host", stamp: "time"},

	// OpenTelemetry: the collector's file exporter.
	{shape: OTLP, need: "resourceLogs", in: "resourceLogs.[]"},
	{shape: OTLP, need: "scopeLogs", in: "scopeLogs.[]", open: openResource},
	{shape: OTLP, need: "logRecords", in: "logRecords.[]"},
	{shape: OTLP, need: "body timeUnixNano", in: "body", stamp: "timeUnixNano observedTimeUnixNano"},
	{shape: OTLP, need: "body observedTimeUnixNano", in: "body", stamp: "observedTimeUnixNano"},
	{shape: OTLP, need: "stringValue", in: "stringValue"},
	{shape: OTLP, need: "bytesValue", in: "bytesValue", open: openBytes},
	{shape: OTLP, need: "kvlistValue", in: "kvlistValue", whole: true, open: openKeyValues},

	// Shippers that put the line into an object of theirs.
	{shape: Journald, need: "MESSAGE", in: "MESSAGE", label: "_HOSTNAME", stamp: "__REALTIME_TIMESTAMP", open: openMessage},
	{shape: GELF, need: "short_message", in: "full_message short_message", label: "host", stamp: "timestamp", cut: true},
	{shape: Vector, need: "message source_type", in: "message", label: nodePaths, stamp: timePaths},
	{shape: Stern, need: "message podName", in: "message", label: "podName"},
	{shape: Filebeat, need: "agent @timestamp", in: "kubernetes.audit event.original message", label: nodePaths, stamp: timePaths},
	{shape: Filebeat, need: "@timestamp kubernetes", in: "kubernetes.audit", label: nodePaths, stamp: timePaths},
	{shape: Filebeat, need: "@timestamp event", in: "event.original", label: nodePaths, stamp: timePaths},
	{shape: Filebeat, need: "@timestamp log message", in: "message", label: nodePaths, stamp: timePaths, open: openBesideLog},
	{shape: ViaQ, need: "log_type @timestamp", in: "structured message", label: nodePaths, stamp: timePaths},
	{shape: FluentBit, need: "date log", in: "log_processed log", label: nodePaths, stamp: timePaths},
	{shape: GKE, need: "insertId", in: "jsonPayload textPayload", stamp: "timestamp", cut: true},
	{shape: GKE, need: "logName timestamp", in: "jsonPayload textPayload", stamp: "timestamp", cut: true},
	{shape: GKE, need: "entries", in: "entries.[]"},
	{shape: JSONLog, need: "log", in: "log", label: "pod " + nodePaths, stamp: timePaths, plain: true},
	{shape: JSONLog, need: "message", in: "message", label: nodePaths, stamp: timePaths, plain: true},
	{shape: JSONLog, need: "msg", in: "msg", label: nodePaths, stamp: timePaths, plain: true},
	{shape: JSONLog, need: "_msg", in: "_msg", label: nodePaths, stamp: timePaths, plain: true},
	{shape: JSONLog, need: "RawEvent", in: "RawEvent", stamp: timePaths, plain: true},
	{shape: JSONLog, need: "line", in: "line", stamp: timePaths, plain: true},
	{shape: JSONLog, need: "body", in: "body", stamp: timePaths, plain: true},
	{shape: JSONLog, need: "content", in: "content", label: "__source__", stamp: "__time__ " + timePaths, plain: true},
	{shape: JSONLog, need: "payload", in: "payload", plain: true},
	{shape: JSONLog, need: "topic value", in: "value", plain: true},
	{shape: JSONLog, need: "Body", in: "Body", plain: true},
	{shape: JSONLog, need: "attributes", in: "attributes.attributes attributes.message", label: "attributes.host", stamp: "attributes.timestamp", plain: true},
	{shape: JSONLog, need: "data", in: "data.[]", plain: true},
	{shape: JSONLog, need: "result", in: "result.[] result", plain: true},
}
