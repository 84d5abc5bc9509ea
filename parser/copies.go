package parser

import "fmt"

// openingSize is how much of a log is looked at for its first event: an API
// server that logs to standard output writes its own log before.
const openingSize = 4 << 20

// copies returns the names of logs that begin with the same event as one
// before them: one log in two shapes, such as the file and what kubectl logs
// shows of it, or an older copy of it. What is in both is told event by event
// only.
func copies(logs []*Log) []string {
	if len(logs) < 2 {
		return nil
	}
	var (
		names   []string
		decoder Decoder
	)
	seen := map[string]bool{}
	for _, log := range logs {
		first := opening(log, &decoder)
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

// opening names the first event of a log by what is the same whatever carried
// it, or returns "". A pipe can be read once only, so it is left alone. The
// decoder is shared, since a directory may hold thousands of files.
func opening(log *Log, d *Decoder) string {
	first := log.Parts[0]
	if first.in != nil {
		return ""
	}
	s := (&Part{Name: first.Name}).open(log, Options{}.withDefaults())
	if s == nil {
		return ""
	}
	var c Chunk
	for s.next(&c) {
		for d.Reset(&c); d.Next(); {
			e := d.Event()
			s.close()
			return fmt.Sprintf("%s\x00%s\x00%d\x00%d\x00%s", e.AuditID, e.Stage, e.Received, e.At, e.URI)
		}
		if c.Offset > openingSize {
			s.close()
			return ""
		}
	}
	return "" // the stream has closed itself
}
