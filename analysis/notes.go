package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Note says what the log can't show, or what a reader must know about it.
type Note struct {
	Kind string     `json:"kind"` // kebab-case
	From audit.Time `json:"from"`
	To   audit.Time `json:"to"`
	Text string     `json:"text"`
}

// Notes returns the notes on the log, in order of kind and time.
func (f *Facts) Notes() []Note {
	notes := []Note{}
	for _, log := range f.LogNames() {
		notes = append(notes, f.holeNotes(log)...)
		notes = append(notes, f.restartNotes(log)...)
		notes = append(notes, f.cutNotes(log)...)
		notes = append(notes, f.unreadyNotes(log)...)
	}
	notes = append(notes, f.strayNotes()...)
	notes = append(notes, f.ownNotes()...)
	if f.Events > 0 {
		notes = append(notes, f.stageNotes()...)
		notes = append(notes, f.quirkNotes()...)
		notes = append(notes, f.strangerNotes()...)
		notes = append(notes, f.missedNotes()...)
		notes = append(notes, f.clockNotes()...)
		notes = append(notes, f.twinNotes()...)
	}
	slices.SortStableFunc(notes, func(a, b Note) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), cmp.Compare(a.From, b.From), strings.Compare(a.Text, b.Text))
	})
	return notes
}

// holeNotes tell of the times in which a log has no events.
func (f *Facts) holeNotes(log string) []Note {
	var notes []Note
	for _, hole := range f.Holes(log) {
		unread := slices.Contains(f.Logs[log].Unread, hole)
		switch {
		case !unread && hole == f.between(log):
			notes = append(notes, f.betweenNote(log))
		case !unread && f.startedAfter(log, hole): // the note of the restart tells of it
		default:
			notes = append(notes, Note{"hole", hole.From, hole.To, f.holeText(log, hole, unread)})
		}
	}
	return notes
}

func (f *Facts) holeText(log string, hole tally.Interval, unread bool) string {
	switch long := tenths(hole.Len()); {
	case unread:
		return fmt.Sprintf(
			"%s was not read for %s because the run was interrupted. What began before may have ended in that time.", log, long)
	case f.Logs[log].wentOn(hole):
		return fmt.Sprintf(
			"%s has no events for %s, though its API server was running: a request that it had received before ended after. Either no request ended that the audit policy records, as when storage does not answer or the server was told to stop, or lines were lost (%s).",
			log, long, f.others(log, hole))
	default:
		return fmt.Sprintf(
			"%s has no events for %s: its API server was down, or lines were lost (%s). A client that is silent in that time may have made requests elsewhere, or none.",
			log, long, f.others(log, hole))
	}
}

// others says what other logs tell of a time in which one is silent.
func (f *Facts) others(log string, hole tally.Interval) string {
	if len(f.Logs) == 1 {
		return "there is no other log to compare with"
	}
	for name := range f.Logs {
		if name != log && f.Spoke(name, hole.From, hole.To) {
			return "other logs go on"
		}
	}
	return "other logs are silent, too"
}

// tenths rounds for a reader.
func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// restartNotes name the starts after something else was logged: a log may
// begin with its API server's first start.
func (f *Facts) restartNotes(log string) []Note {
	var notes []Note
	first, stops := f.Logs[log].Span.First, f.Stops(log)
	for _, start := range f.Starts(log) {
		if start.Sub(first) < startWithin {
			continue
		}
		text := fmt.Sprintf("The API server that wrote %s started", log)
		from := start
		for _, stop := range stops {
			if stop < start && start.Sub(stop) < stopBefore {
				from = stop
				// It was told to stop before that, by --shutdown-delay-duration.
				text += fmt.Sprintf(", %s after it ended its watches, as it does when it is told to stop", start.Sub(stop).Round(time.Second))
				break
			}
		}
		ended := "then"
		if gap, ok := f.Logs[log].silentBefore(start); ok {
			from = min(from, gap.From)
			text += fmt.Sprintf("; it wrote nothing in the %s before it started", tenths(gap.Len()))
			if len(f.Logs) > 1 {
				text += " (" + f.others(log, gap) + ")"
			}
			ended = "in that time"
		}
		text += ". Open watches and sessions ended " + ended + ", and clients list again what they watch."
		notes = append(notes, Note{"restart", from, start, text})
	}
	return notes
}

// cutNotes name the times at which many clients lost their watches (how many is an
// estimate, and who counts them otherwise should not meet another number), but for
// those that a start explains and those at the log's end, where nobody can tell
// what went on.
func (f *Facts) cutNotes(log string) []Note {
	var notes []Note
	starts, last := f.Starts(log), f.Logs[log].Span.Last
	for _, cut := range f.WatchCuts(log) {
		explained := slices.ContainsFunc(starts, func(start audit.Time) bool {
			later := start.Sub(cut.Span.First)
			return -startWithin < later && later < stopBefore
		})
		if explained || !cut.Many || last.Sub(cut.Span.Last) < cutAside {
			continue
		}
		notes = append(notes, Note{"watches-cut", cut.Span.First, cut.Span.Last, fmt.Sprintf(
			"%d watches of many clients in %s ended together, long before their timeouts: the API server was restarted, or a load balancer or the network closed their connections. Their clients list again what they watch.",
			cut.Watches, log)})
	}
	return notes
}

// strangerNotes tell that the cluster has API servers whose logs are not here.
func (f *Facts) strangerNotes() []Note {
	at := f.Strangers()
	if len(at) == 0 {
		return nil
	}
	return []Note{{
		kindOthers, at[0], at[len(at)-1],
		"An API server whose log was not read started or stopped: another one changed the endpoints of the Service default/kubernetes, which list all API servers. " +
			"What clients did there is unknown: one that falls silent may have moved to it. Read the logs of all API servers together.",
	}}
}

// MovedNotes returns notes about API servers whose logs were not read, as far
// as only the findings show them: a client made requests there while this log
// has none of it. notes are the other notes of the report.
func MovedNotes(notes []Note, findings []Finding) []Note {
	if slices.ContainsFunc(notes, func(n Note) bool { return n.Kind == kindOthers }) {
		return nil
	}
	var span tally.Span
	for i := range findings {
		if f := &findings[i]; f.Details.Text("pattern") == "elsewhere" {
			span.Add(f.First)
			span.Add(f.Last)
		}
	}
	if span.Empty() {
		return nil
	}
	return []Note{{
		kindOthers, span.First, span.Last,
		"Clients that are silent in this log went on through an API server whose log was not read: their Leases were renewed in that time. " +
			"What they did there is unknown. Read the logs of all API servers together.",
	}}
}

// kindOthers is the kind of notes on API servers whose logs are not here.
const kindOthers = "other-api-servers"

// cutAside is how long a log must go on for an end of many watches to be more
// than the end of all that was going on.
const cutAside = 10 * time.Second

// stopBefore is how long before a start a stop may lie to be of one restart.
const stopBefore = 10 * time.Minute

// stageNotes tell which durations and codes are unknown, and why.
func (f *Facts) stageNotes() []Note {
	var notes []Note
	begun := f.Stages[audit.StageRequestReceived] + f.Stages[audit.StageResponseStarted]
	if ended := f.Stages[audit.StageResponseComplete]; ended == 0 && begun >= minBegun {
		notes = append(notes, f.note("no-response-complete",
			"No request has the stage ResponseComplete: the audit policy omits it (omitStages). There are no durations, and most response codes are unknown."))
	}
	if f.Coarse > 0 {
		notes = append(notes, f.note("coarse-times", fmt.Sprintf(
			"%d of %d events have times of whole seconds (audit.k8s.io/v1alpha1 or early v1beta1, or fractions were cut on the way), or only one of the two times (Cloud Logging, --audit-log-format=legacy, or cut off on the way): their durations are unknown, or known to the second, and so may be their order within a second.",
			f.Coarse, f.Events)))
	}
	return notes
}

// Fewer events without an end are no sign of a policy: the log may have been
// cut off right after they began.
const minBegun = 20

// quirkNotes tell of what an API server or what lies behind it did to events.
func (f *Facts) quirkNotes() []Note {
	var notes []Note
	q := &f.Quirks
	if q.Truncated > 0 {
		notes = append(notes, Note{"truncated-events", q.TruncatedSpan.First, q.TruncatedSpan.Last, fmt.Sprintf(
			"The bodies of %d events were too large and cut off, by the API server (--audit-log-truncate-enabled) or on the way: what only a body shows is unknown for them.", q.Truncated)})
	}
	if untrusted, of := f.untrustedWatches(); !f.WatchesTrusted() {
		notes = append(notes, f.note("untrusted-watches", fmt.Sprintf(
			"The stages of %d of %d sampled watches were not written when they happened: ResponseStarted twice, or \"Connection closed early\" at once (APIServingWithRoutine in some builds of Kubernetes 1.30). How long watches were open is unknown.",
			untrusted, of)))
	}
	if q.Slow >= minSlow && q.Untold == q.Slow {
		notes = append(notes, Note{"no-latency-annotations", q.SlowSpan.First, q.SlowSpan.Last, fmt.Sprintf(
			"%d requests took over %s, and none says where the time went: the API server wrote no apiserver.latency.k8s.io annotations. Old versions have none, and 1.34 and 1.35.0 leave them out by mistake (kubernetes 135684).",
			q.Slow, slowLimit)})
	}
	return notes
}

// minSlow is how many slow requests must be without annotations: one may have
// been slow before the API server took its time.
const minSlow = 5

// note is a note on the whole log.
func (f *Facts) note(kind, text string) Note { return Note{kind, f.Span.First, f.Span.Last, text} }
