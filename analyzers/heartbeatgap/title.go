package heartbeatgap

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// title says who fell silent, for how long, and what the node-controller did.
// The longest silence is cut if the log begins in it or had a hole before it: it
// lasted longer.
func title(f *analysis.Finding, names []string, kind string, cut bool) string {
	who, beats := fmt.Sprintf("%d nodes", len(names)), fmt.Sprintf("the heartbeats of %d nodes", len(names))
	together := " together"
	if len(names) == 1 {
		who, together = "node "+analysis.Plain(names[0]), ""
		beats = "the heartbeats of " + who
	}
	lasted := time.Duration(f.Details.Float("gapSeconds") * float64(time.Second)).Round(100 * time.Millisecond)
	fell := "fell silent" + together
	if f.Details[detailAlready] == true {
		fell = "was silent when the log began"
		if len(names) > 1 {
			fell = "were silent together when the log began"
		}
	}
	var what string
	switch kind {
	case detailFailing:
		what = fmt.Sprintf("%s failed%s for up to %s", beats, together, lasted)
	case patternNever:
		what = fmt.Sprintf("%s %s and did not return in the %s up to the log's end", who, fell, lasted)
	case patternElsewhere:
		what = fmt.Sprintf("%s went%s to an API server whose log is not here, for up to %s", who, together, lasted)
	default:
		what = fmt.Sprintf("%s %s for up to %s%s and returned", who, fell, lasted, asLongAs[f.Details.Text("recovery")])
		if cut {
			what = fmt.Sprintf("%s %s, for at least %s, and returned", who, fell, lasted)
		}
	}
	if len(names) > 1 {
		what += ": " + listed(names)
	}
	if ip := f.Details.Text("commonIP"); ip != "" {
		what += "; all of them connect from " + ip
	}
	if n := f.Details.Int(detailUnanswered); n > 0 {
		what += fmt.Sprintf("; a kubelet's own log tells of %s without an answer", analysis.Counted(n, "heartbeat"))
	}
	return what + answer(f)
}

// listed names the first of several nodes.
func listed(names []string) string {
	return analysis.Plain(analysis.FirstOf(5, names))
}

// asLongAs says, by recovery, what takes as long as a silence.
var asLongAs = map[string]string{
	"tcp-timeout":        ", as long as it takes TCP to give up a dead connection,",
	"http2-health-check": ", as long as it takes an HTTP/2 health check to find a dead connection,",
}

// answer says what the node-controller did meanwhile.
func answer(f *analysis.Finding) string {
	var did []string
	add := func(detail, one, many string) {
		switch n := f.Details.Int(detail); {
		case n > 0 && f.Count == 1:
			did = append(did, one)
		case n > 0:
			did = append(did, fmt.Sprintf(many, n))
		}
	}
	add("markedNotReady", "marked it not ready", "marked %d not ready")
	add("tainted", "tainted it", "tainted %d")
	if n := f.Details.Int("evicted"); n > 0 {
		whose := "their"
		if f.Count == 1 {
			whose = "its"
		}
		did = append(did, fmt.Sprintf("evicted %d of %s pods", n, whose))
	}
	if len(did) == 0 {
		return ""
	}
	return "; the node-controller " + analysis.And(did)
}
