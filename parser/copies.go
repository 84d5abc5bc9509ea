package parser

import (
	"fmt"

	"github.com/kaudit/kaudit/audit"
)

// openingSize is how many bytes of a log are searched for its first event: an API
// server that logs to standard output writes lines of its own log before it.
const openingSize = 4 << 20

// Copies returns the names of logs that begin with the same event as an earlier
// log in the list: one log in two forms, such as the file and the output of
// kubectl logs, or an older copy. How far the two overlap is not known. Members
// of archives are compared only after they have been read.
func Copies(logs []*Log) []string {
	if len(logs) < 2 {
		return nil
	}
	var (
		names   []string
		decoder Decoder
	)
	seen := map[string]bool{}
	for _, log := range logs {
		first := log.Parts[0].first(log, &decoder)
		if first == "" {
			continue
		}
		if seen[first] {
			names = append(names, log.Name)
		}
		seen[first] = true
	}
	return names
}

// first returns the name (see nameOf) of the first event of a part, or "". A pipe
// can be read only once, so it is left alone. The caller shares a decoder, since a
// directory may hold thousands of files.
func (p *Part) first(log *Log, d *Decoder) string {
	if p.in != nil || p.archive || p.member || p.opening != "" {
		return p.opening
	}
	s := (&Part{Name: p.Name}).open(log, Options{}.withDefaults())
	if s == nil {
		return ""
	}
	var c Chunk
	for s.next(&c) {
		if p.lookFor(&c, d) {
			s.close()
			return p.opening
		}
	}
	return "" // the stream has closed itself
}

// lookFor looks for the part's first event in a chunk of the part. It reports
// whether the search is over.
func (p *Part) lookFor(c *Chunk, d *Decoder) (done bool) {
	for d.Reset(c); d.Next(); {
		e := d.Event()
		p.opening, p.openedAt = nameOf(e), e.At
		return true
	}
	return c.Offset > openingSize
}

// nameOf returns what identifies an event, whatever carried it.
func nameOf(e *audit.Event) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%d\x00%s", e.AuditID, e.Stage, e.Received, e.At, e.URI)
}

// Openings are the first events of logs, by their time. If two parts of one log
// overlap, one of them begins with an event that the other has, too.
type Openings map[audit.Time][]opening

type opening struct{ log, event string }

// OpeningsOf returns the first events of logs that Copies has read before, or
// nil if there is nothing to compare.
func OpeningsOf(logs []*Log) Openings {
	all := Openings{}
	for _, log := range logs {
		if p := log.Parts[0]; p.opening != "" {
			all[p.openedAt] = append(all[p.openedAt], opening{log.Name, p.opening})
		}
	}
	if len(all) == 0 || len(logs) < 2 {
		return nil
	}
	return all
}

// Other returns the name of a log that begins with e and is not e's own, or "".
func (o Openings) Other(e *audit.Event) string {
	for _, first := range o[e.At] {
		if first.log != e.Log && first.event == nameOf(e) {
			return first.log
		}
	}
	return ""
}
