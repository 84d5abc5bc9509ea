package analysis

import (
	"fmt"
	"maps"
	"slices"
)

// ownNotes say what the own logs of API servers were used for, and what they
// can't tell.
func (f *Facts) ownNotes() []Note {
	var notes []Note
	for _, log := range f.ownLogs() {
		own := f.Own.Requests[log]
		note := Note{Kind: "httplog", From: own.Span.First, To: own.Span.Last}
		switch {
		case slices.Contains(f.Own.StoodIn, log):
			note.Text = fmt.Sprintf("%s has no audit events. Its %d requests are from the API server's own log (httplog), which writes a line when a request ends: it names no user, and has no bodies, no annotations and no requests that never ended.",
				log, own.N)
		case f.Logs[log] == nil && f.Own.copied(log) != "":
			note.Text = fmt.Sprintf("%s is an API server's own log. Its %d requests (httplog) are not counted, since %s holds the same lines.",
				log, own.N, f.Own.copied(log))
		case f.Logs[log] == nil:
			note.Text = fmt.Sprintf("%s is an API server's own log. Its %d requests (httplog) are not counted, since %s tells of the same ones, or of the same time.",
				log, own.N, f.toldBy(log))
		default:
			continue // in one log with the audit events of the same requests
		}
		notes = append(notes, note)
	}
	return append(notes, f.guessNotes()...)
}

// guessNotes name the logs whose times are a guess that nothing confirms.
func (f *Facts) guessNotes() []Note {
	guessed := map[string]int64{}
	for _, log := range f.Own.StoodIn {
		guessed[log] += f.Own.Requests[log].Guessed
	}
	for _, lines := range f.Own.Lines {
		for _, row := range lines.Table.rows {
			line := row.value
			if line.Guessed && !f.clockOf(line.Log).sure {
				guessed[line.Log]++
			}
		}
	}
	var notes []Note
	for _, log := range slices.Sorted(maps.Keys(guessed)) {
		if guessed[log] > 0 {
			notes = append(notes, f.note("guessed-times", fmt.Sprintf(
				"Lines of klog have neither year nor zone. Those of %s are taken to be of UTC, and of the year that other events or the time of the file make likely: kubectl logs --timestamps tells both.", log)))
		}
	}
	return notes
}
