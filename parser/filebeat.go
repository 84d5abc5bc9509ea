package parser

// openBesideLog opens the message of a record in the Elastic Common Schema, of
// which processors have dropped what names the shipper. It reports false if the
// log beside it is not what that schema has there, an object on the file.
func openBesideLog(d *Decoder, t text, at place) bool {
	log, ok := member(t.data, 0, "log")
	if !ok || t.data[log.start] != '{' {
		return false
	}
	if _, ok := member(t.data, log.start, "file"); !ok {
		return false
	}
	d.holdValue(&t, at)
	return true
}
