package parser

import "bytes"

// refuseOther refuses what audits something else, under its name.
func refuseOther(d *Decoder, t text, _ place) bool {
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
