package parser

import (
	"bytes"
	"fmt"

	"github.com/kaudit/kaudit/parser/serverlog"
)

// refuseOther refuses the records of an audit log of something else. Their shape
// tells which.
func refuseOther(d *Decoder, t text, _ place) bool {
	d.refuse(Foreign, &t)
	return true
}

// refuseRancher refuses what Rancher up to 2.8 wrote: keys of an audit event,
// but a user with a name and a group, as no user of Kubernetes has.
func refuseRancher(d *Decoder, t text, user place) bool {
	if t.data[user.start] != '{' {
		return false
	}
	if _, ok := member(t.data, user.start, "username"); ok {
		return false
	}
	if _, ok := member(t.data, user.start, "name"); !ok {
		return false
	}
	d.refuse(Foreign, &t)
	return true
}

// refuseReview refuses what kube-audit-rest writes: AdmissionReviews, the
// requests that changed something and passed admission, without an answer.
func refuseReview(d *Decoder, t text, at place) bool {
	if !bytes.HasPrefix(scalar(t.data, at), []byte("admission.k8s.io/")) {
		return false
	}
	d.refuse(Foreign, &t)
	return true
}

// Look says what a part without any audit event looks like, given the shapes of
// its refused records. It is empty if there were none.
func (s Shapes) Look() string {
	if s.Has(CSV) {
		return "a CSV of something else, or one without a line that names its columns: export it with headers"
	}
	switch carrier := (s &^ (1<<Plain | 1<<kubeEvents | 1<<ownList | 1<<otherJSON | 1<<ownLog | 1<<otherText | 1<<otherMarkup | 1<<oddEvents)).Format(""); {
	case s.Has(RancherAudit):
		return "Rancher's own API audit log, which records requests to Rancher"
	case s.Has(KubeAuditREST):
		return "AdmissionReviews, as kube-audit-rest writes them: requests without an answer"
	case s.Has(kubeEvents):
		return "Kubernetes Events, as kubectl get events prints them; audit events are another thing by that name"
	case s.Has(oddEvents):
		return "broken audit events: kaudit formats FILE says what is wrong with them"
	case s.Has(ownLog):
		return "the own log of an API server or kubelet, which tells of requests at -v=3 and above"
	case s.Has(ownList):
		return "what kaudit events -o json or jsonl printed, which lacks parts of an event: kaudit events -o raw prints what can be read again"
	case carrier != "":
		return fmt.Sprintf("records of the format %s that carry something other than audit events", carrier)
	case s.Has(otherMarkup):
		return "XML or HTML of another kind than Splunk's export as XML, which can be read"
	case s.Has(otherJSON):
		return "JSON of another kind"
	case s.Has(otherText):
		return "text of another kind"
	}
	return ""
}

// isOwnRecord reports whether a text has the keys of what kaudit events prints of
// an event.
func isOwnRecord(b []byte) bool {
	for _, key := range []string{"latencySeconds", "time", "received", "stage", "auditID", "source", "line"} {
		if !bytes.Contains(b, []byte(`"`+key+`":`)) {
			return false
		}
	}
	return !bytes.Contains(b, []byte(`"stageTimestamp"`))
}

// looksLike says what a text that was refused looks like.
func looksLike(kind Kind, t *text) Shape {
	beginning := t.data[:min(len(t.data), 4096)]
	switch {
	case len(t.data) == 0:
		return otherText
	case serverlog.HasHeader(t.data):
		return ownLog
	case isCSVRow(beginning):
		return CSV
	case isMarkup(beginning):
		return otherMarkup
	case kind == Malformed:
		return oddEvents
	case t.data[0] != '{' && t.data[0] != '[':
		return otherText
	case bytes.Contains(beginning, []byte(`"involvedObject"`)), bytes.Contains(beginning, []byte(`"events.k8s.io/`)):
		return kubeEvents
	case isOwnRecord(beginning):
		return ownList
	}
	return otherJSON
}

// isMarkup reports whether a text begins with a tag of XML or HTML.
func isMarkup(b []byte) bool {
	if len(b) < 3 || b[0] != '<' || bytes.IndexByte(b, '>') < 0 {
		return false
	}
	c := b[1]
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '/' || c == '?' || c == '!'
}
