package driver

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// leaveHoles tells the facts of an interrupted run which times were left unread between
// the parts of a log: from the last event read of a part that was not read to its end, to
// the first event of a later part that was read.
func leaveHoles(facts *analysis.Facts, logs []*parser.Log, parts map[*parser.Part]*work) {
	for _, log := range logs {
		var from, last audit.Time
		for _, part := range log.Parts {
			done := parts[part]
			if done != nil && done.events > 0 {
				if from != 0 && from < done.first {
					facts.LeaveHole(log.Name, from, done.first)
				}
				from, last = 0, max(last, done.last)
			}
			if chunks, ended := part.Chunks(); from == 0 && !(ended && done != nil && chunks == done.read.chunks()) {
				from = last
			}
		}
	}
}
