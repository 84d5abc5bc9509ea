package watchstall

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// Report reports overdue watches by scope, and piles of all the client's scopes together.
func (s *State) Report(p *analysis.Pass) {
	rows := s.Scopes.Sorted()
	ends, heard := int64(0), audit.Time(0)
	for i := range rows {
		ends += rows[i].Value.Ends
		heard = max(heard, rows[i].Value.Heard.Last)
	}
	client, _ := p.Facts.ClientSpan(p.Key.Client())
	heard = max(heard, client.Last)
	overdue, unended, lasting := 0, 0, 0
	open, endless := make([][]Late, len(rows)), make([][]Late, len(rows))
	for i := range rows {
		open[i], endless[i] = rows[i].Value.stillOpen(p.Facts, heard, p.Duration(optServerMax))
		overdue += int(rows[i].Value.Overdue)
		unended += len(open[i])
		lasting += len(endless[i])
	}
	have := ofItsOwn
	if unended+lasting > 0 { // seldom, and it takes a look at the whole log
		have = proofOf(p, ends)
	}
	if have == noProof {
		clear(open)
		clear(endless)
		unended, lasting = 0, 0
	}
	overdue += unended
	for i := range rows {
		w := &rows[i].Value
		if w.Overdue == 0 && len(open[i])+len(endless[i])+len(w.Endless.Items) == 0 && w.CutShort == 0 {
			continue // as most
		}
		key := withScope(p.Key, rows[i].Name)
		if int(w.Overdue)+len(open[i]) > 0 {
			w.reportOverdue(p, &key, open[i], overdue, have)
		}
		w.reportEndless(p, &key, endless[i], lasting, have)
		w.reportCutShort(p, &key)
	}
	reportPile(p, rows)
}

func (w *Watches) reportOverdue(p *analysis.Pass, key *analysis.Key, open []Late, ofClient int, have proof) {
	const most = 4
	n := int(w.Overdue) + len(open)
	worst := joinLate(w.Worst.Items, open)
	worst = worst[:min(most, len(worst))]
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Confirmed, Count: n, Subject: key.Subject(),
		Title: fmt.Sprintf("%s of %s on %s outlived the timeout: %s asked for, open for %s",
			watches(n), key.Client().Text(), key.ScopeText(), worst[0].Asked, worst[0].lived()),
		Details: w.details(p, "overdue", n, worst[0].Over),
	}
	if n > 1 {
		f.Title += " at most"
	}
	if ofClient >= p.Int(optMany) {
		f.Severity = analysis.Critical
	}
	if len(open) > 0 {
		f.Title += fmt.Sprintf("; %d had not ended", len(open))
	}
	if w.Overdue == 0 {
		f.Confidence = analysis.Likely
		have.judge(&f, ofClient, p.Int(optMany))
		if !slices.ContainsFunc(open, func(l Late) bool { return !l.WentOn }) {
			f.Confidence = analysis.Possible
			f.Caveats = append(f.Caveats, caveatWentOn)
		}
	}
	f.Details["unended"] = len(open)
	cite(&f, worst)
	for i := range open { // it was open as long as the log
		f.Last = max(f.Last, open[i].due().Add(open[i].Over))
	}
	p.Report(f)
}

// due returns when the watch should have ended, by the timeout that it asked for.
func (l *Late) due() audit.Time { return l.From.Add(l.Asked) }

func (l *Late) lived() time.Duration { return (l.Asked + l.Over).Round(time.Second) }

// reportEndless reports watches that asked for no timeout and outlived what the server
// allows, if their scope was written meanwhile: else the server had nothing to block on.
func (w *Watches) reportEndless(p *analysis.Pass, key *analysis.Key, open []Late, ofClient int, have proof) {
	limit := p.Duration(optServerMax)
	var over []Late
	unended := 0
	for i, l := range slices.Concat(open, w.Endless.Items) {
		to := l.From.Add(l.Over)
		if l.Over > limit+grace && p.Facts.ChangesWithin(key.Scope(), l.From, to)+p.Facts.UpdatesWithin(key.Scope(), l.From, to) > 0 {
			over = append(over, l)
			if i < len(open) {
				unended++
			}
		}
	}
	slices.SortStableFunc(over, Late.Compare)
	if len(over) == 0 {
		return
	}
	f := analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Likely, Count: len(over), Subject: key.Subject(),
		Title: fmt.Sprintf("%s of %s on %s outlived what the server allows: open for %s, though it ends watches within %s",
			watches(len(over)), key.Client().Text(), key.ScopeText(), over[0].lived(), limit),
		Details: w.details(p, "endless", len(over), over[0].Over-limit),
		Caveats: []string{"the server's --min-request-timeout may be longer than the default: see the option server-max"},
	}
	if len(over) >= p.Int(optMany) {
		f.Severity = analysis.Critical
	}
	if unended > 0 {
		f.Title += fmt.Sprintf("; %d had not ended", unended)
		have.judge(&f, ofClient, p.Int(optMany))
	}
	f.Details["unended"] = unended
	cite(&f, over[:min(len(over), analysis.MaxEvidence)])
	f.Last = max(f.Last, over[0].From.Add(over[0].Over))
	p.Report(f)
}

// reportCutShort reports watches that a server seems to have ended because nothing could be
// sent to their client.
func (w *Watches) reportCutShort(p *analysis.Pass, key *analysis.Key) {
	if int(w.CutShort) < max(2, p.Int(optCutShort)) || w.resumed() {
		return
	}
	span := w.span(p.Facts.Span.Last)
	p.Report(analysis.Finding{
		Severity: analysis.Warning, Confidence: analysis.Possible, Count: int(w.CutShort), Subject: key.Subject(),
		First: span.First, Last: span.Last,
		Title: fmt.Sprintf("%s of %s on %s for the initial state ended after 30s, and none was resumed: a server that limits stalled watches ends them like that",
			watches(int(w.CutShort)), key.Client().Text(), key.ScopeText()),
		Details:  w.details(p, "cut-short", int(w.CutShort), 0),
		Evidence: first(analysis.Cite(w.First.Refs...), 4),
		Caveats:  []string{"a client that closes its watch after 30 seconds looks the same"},
	})
}

func (w *Watches) details(p *analysis.Pass, kind string, stalled int, over time.Duration) analysis.Details {
	return analysis.Details{
		"kind": kind, "stalled": stalled, "overdueSeconds": over.Seconds(), "open": highest(levels(&w.Open, p.Facts.AllStarts())),
	}
}

// resumed reports whether the client went on from a version after it had asked for the whole
// state. Then it has read what it was sent.
func (w *Watches) resumed() bool {
	return len(w.First.Refs) > 0 && w.Resumed.Last > w.First.Refs[0].Time
}

// span returns when the watches for the whole state began and ended.
func (w *Watches) span(end audit.Time) tally.Span {
	span := tally.Span{First: w.First.Refs[0].Time, Last: w.EndedAt.Last}
	if span.Last == 0 {
		span.Last = end
	}
	return span
}

// cite adds the lines of overdue watches, and a mark for how long each was.
func cite(f *analysis.Finding, late []Late) {
	var refs []audit.Ref
	var span tally.Span
	for _, l := range late {
		refs = append(refs, l.Ref)
		span.Add(l.From)
		span.Add(l.Ref.Time)
		f.Marks = append(f.Marks, analysis.Mark{Kind: "overdue", From: l.due(), To: l.due().Add(l.Over), N: 1})
	}
	slices.SortFunc(f.Marks, func(a, b analysis.Mark) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	f.Evidence = analysis.Cite(refs...)
	f.First, f.Last = span.First, span.Last
}

func watches(n int) string {
	if n == 1 {
		return "1 watch"
	}
	return fmt.Sprintf("%d watches", n)
}
