package parser

// The keys by which envelopes are known.
const (
	keyAuditIDOf key = iota
	keyStageOf
	keyAPIVersionOf
	keyLog
	keyMessage
	keyTime
	keyStreamOf
)

var knownKeys = map[string]key{
	"auditID": keyAuditIDOf, "stage": keyStageOf, "apiVersion": keyAPIVersionOf,
	"log": keyLog, "message": keyMessage, "time": keyTime, "stream": keyStreamOf,
}

var envelopes = []envelope{
	{shape: Envelope, need: keysOf(keyLog), paths: []path{{key: keyLog}}, stamp: []path{{key: keyTime}}},
	{shape: Envelope, need: keysOf(keyMessage), paths: []path{{key: keyMessage}}, stamp: []path{{key: keyTime}}},
}
