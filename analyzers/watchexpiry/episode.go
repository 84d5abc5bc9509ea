package watchexpiry

import (
	"cmp"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// An episode is a time at which many clients lost their watches, as Facts know it:
// connections were closed together, or an API server started or was silent.
type episode struct {
	span    tally.Span
	cut     tally.Span // when watches were lost, where the log has their ends
	watches int        // lost, where the log has their ends
	clients int        // that lost them, an estimate; 0 if not known
	started bool
	away    tally.Span // of starts: from the last event of the server that went away to the start
	silent  bool       // the log has nothing meanwhile: its server was down, or lines were lost
	stopped bool       // the server was told to stop: its own watches ended too
}

// settled is how long after a cut a start of the server belongs to the same episode.
const settled = 2 * time.Minute

// together is how far apart cuts, or starts of servers, may be that are one episode: it may
// hit several servers, each with a log of its own.
const together = 10 * time.Second

// episodes returns the episodes of all logs, in order of time.
func episodes(f *analysis.Facts) []episode {
	var all []episode
	for _, log := range f.LogNames() {
		for _, cut := range f.WatchCuts(log) {
			all = append(all, episode{span: cut.Span, cut: cut.Span, watches: cut.Watches, clients: cut.Clients, stopped: stopped(f, log, cut.Span)})
		}
		for _, start := range f.Starts(log) {
			all = append(all, episode{span: tally.Span{First: start, Last: start}, started: true, away: tally.Span{First: f.LastBefore(log, start), Last: start}})
		}
	}
	all = append(all, silences(f, all)...)
	slices.SortFunc(all, func(a, b episode) int {
		return cmp.Or(cmp.Compare(a.span.First, b.span.First), cmp.Compare(b.watches, a.watches))
	})
	joined := all[:0]
	for _, e := range all {
		if n := len(joined); n > 0 && joined[n-1].includes(e) {
			last := &joined[n-1]
			last.span.Merge(e.span)
			last.cut.Merge(e.cut)
			last.away.Merge(e.away)
			last.watches += e.watches
			last.clients = max(last.clients, e.clients)
			last.started = last.started || e.started
			last.stopped = last.stopped || e.stopped
			continue
		}
		joined = append(joined, e)
	}
	return joined
}

// silences returns, as episodes, the holes of all logs that are in no other episode. A policy
// may leave out what API servers do themselves, and one that is killed ends no watches.
func silences(f *analysis.Facts, told []episode) (silent []episode) {
	for _, log := range f.LogNames() {
		for _, hole := range f.Holes(log) {
			if !slices.ContainsFunc(told, func(ep episode) bool {
				return hole.From.Sub(ep.span.Last) < settled && ep.span.First.Sub(hole.To) < settled
			}) {
				silent = append(silent, episode{span: tally.Span{First: hole.From, Last: hole.To}, silent: true})
			}
		}
	}
	return silent
}

// stopped reports whether a log's API server was told to stop about then.
func stopped(f *analysis.Facts, log string, span tally.Span) bool {
	return slices.ContainsFunc(f.Stops(log), func(t audit.Time) bool {
		return t.Sub(span.Last) <= together && span.First.Sub(t) <= together
	})
}

// includes reports whether a later cut or start belongs to the episode. A cut after a start
// does not: it ends watches that began after the start. Nor does a start after a cut if the
// server went on to serve for most of the time between, unless it was told to stop: what was
// cut then were connections.
func (ep *episode) includes(e episode) bool {
	after := e.span.First.Sub(ep.span.Last)
	if e.started && !ep.started {
		return after < together || after < settled && (ep.stopped || e.away.First.Sub(ep.span.Last) < after/2)
	}
	return e.started == ep.started && e.silent == ep.silent && after < together
}
