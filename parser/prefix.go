package parser

import "bytes"

// prefixed is an event behind a text on its line: a time (kubectl logs
// --timestamps, CloudWatch exports to S3), a pod (kubectl logs --prefix,
// stern), a node (oc adm node-logs), syslog's or journald's header, the stream
// of a container runtime's log.
var prefixed = carrier{
	name: "prefixed",
	items: func(record []byte, spans []span) []span {
		start := bytes.IndexByte(record, '{')
		if start <= 0 || record[len(record)-1] != '}' || !bytes.Contains(record[start:], []byte(`"auditID"`)) || !isOneValue(record[start:]) {
			return spans // the API server's own log has braces, too
		}
		return append(spans, span{start: start, end: len(record)})
	},
}
