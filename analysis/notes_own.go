package analysis

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis/tally"
)

// ownNotes say what the own logs of API servers were used for, and what they
// can't tell.
func (f *Facts) ownNotes() []Note {
	var notes []Note
	idle := map[string]*idleLogs{} // by why
	for _, log := range f.ownLogs() {
		own := f.Own.Requests[log]
		note := Note{Kind: "httplog", From: own.Span.First, To: own.Span.Last}
		switch {
		case slices.Contains(f.Own.Filled, log):
			note.Text = fmt.Sprintf("The audit events of %s have no ends of requests: the audit policy omits ResponseComplete. The ends of %d requests come from the API server's own log (httplog) in the same input, which names no user.",
				log, own.N)
		case slices.Contains(f.Own.StoodIn, log):
			note.Text = fmt.Sprintf("%s has no audit events. Its %s from the API server's own log (httplog), which has a line for each request that ended: without user, bodies and annotations, and nothing of requests that never ended.",
				log, requestsAre(own.N, ""))
		case f.Logs[log] == nil:
			why := f.toldBy(log) + " tells of the same ones, or of the same time"
			if copied := f.Own.copied(log); copied != "" {
				why = copied + " holds the same lines"
			}
			if idle[why] == nil {
				idle[why] = &idleLogs{}
			}
			idle[why].add(log, own.N, own.Span)
			continue
		default:
			continue // in one log with the audit events of the same requests
		}
		notes = append(notes, note)
	}
	for _, why := range slices.Sorted(maps.Keys(idle)) {
		notes = append(notes, idle[why].note(why))
	}
	return append(notes, f.guessNotes()...)
}

func requestsAre(n int64, more string) string {
	if n == 1 {
		return "1 request" + more + " is"
	}
	return fmt.Sprintf("%d requests%s are", n, more)
}

// idleLogs are own logs whose requests are not counted, for one reason.
type idleLogs struct {
	names    []string
	requests int64
	span     tally.Span
}

func (l *idleLogs) add(log string, requests int64, span tally.Span) {
	l.names = append(l.names, log)
	l.requests += requests
	l.span.Merge(span)
}

func (l *idleLogs) note(why string) Note {
	note := Note{Kind: "httplog", From: l.span.First, To: l.span.Last}
	told := fmt.Sprintf("%s is an API server's own log. Its %s", l.names[0], requestsAre(l.requests, " (httplog)"))
	if n := len(l.names); n > 1 {
		told = fmt.Sprintf("%d inputs are API servers' own logs: %s. Their %s", n, Named(l.names), requestsAre(l.requests, " together (httplog)"))
	}
	note.Text = fmt.Sprintf("%s not counted, since %s.", told, why)
	return note
}

// guessNotes name the logs whose times are a guess that nothing confirms.
func (f *Facts) guessNotes() []Note {
	guessed := map[string]int64{}
	for _, log := range f.Own.StoodIn {
		guessed[log] += f.Own.Requests[log].Guessed
	}
	sure := map[string]bool{}
	for _, lines := range f.Own.Lines {
		for _, row := range lines.Table.rows {
			line := row.value
			if !line.Guessed {
				continue
			}
			if _, known := sure[line.Log]; !known {
				sure[line.Log] = f.clockOf(line.Log).sure
			}
			if !sure[line.Log] {
				guessed[line.Log]++
			}
		}
	}
	var notes []Note
	for _, log := range slices.Sorted(maps.Keys(guessed)) {
		if guessed[log] > 0 {
			notes = append(notes, f.note("guessed-times", fmt.Sprintf(
				"klog lines have neither year nor time zone. Those of %s are taken for UTC, or for the only zone in which they fall among the audit events of their log, and for the year that other events or the file's modification time suggest. kubectl logs --timestamps shows both.", log)))
		}
	}
	return notes
}
