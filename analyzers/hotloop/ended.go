package hotloop

import (
	"github.com/kaudit/kaudit/analysis"
)

const (
	caveatEnded = "it ended by itself, and its client goes on: work that is done looks the same, such as progress that is written at each step; the log has no bodies that would tell"
	caveatWork  = "each write says something new, it ended by itself, and its client goes on: progress that is written at each step looks so, a loop comes back to what it wrote, or goes on"
)

// ended reports whether a loop on one object came to its end by itself, as work
// does. It is one burst, no longer than one that follows a change, the log goes on
// for as long before and after it, and its client, whom nobody stopped, makes other
// requests after that. Of a loop, who mends it makes an end, and that takes longer.
func ended(p *analysis.Pass, l *loop) bool {
	w, one := l.writer()
	if !one || l.measure != whole || l.kind != kindWrites && l.kind != kindRequests {
		return false
	}
	span, chosen, window := l.span(), p.Facts.Chosen(), p.Duration(optWindow)
	if span.Len() > window || span.First.Sub(chosen.First) < window || chosen.Last.Sub(span.Last) < window ||
		p.Facts.InHole(span.First.Add(-window), span.Last.Add(window)) {
		return false
	}
	last := &l.items[len(l.items)-1]
	heard, _ := p.Facts.ClientSpan(analysis.Client{User: w.user, UserAgent: w.agent, SourceIP: last.ip})
	return heard.Last.Sub(span.Last) >= window
}

// weighEnd makes information of a loop that ended by itself and never came back to
// what it had written. Where no bodies tell, a caveat says what else it may be.
func weighEnd(f *analysis.Finding, writes []item) {
	said, n := map[uint64]bool{}, 0
	for i := range writes {
		if writes[i].Code() < 300 {
			said[writes[i].said] = true
			n++
		}
	}
	switch {
	case len(said) == 1 && said[0]:
		f.Caveats = append(f.Caveats, caveatEnded)
	case len(said) == n && n >= beats && !said[0]:
		f.Severity, f.Confidence = analysis.Info, analysis.Possible
		f.Caveats = append(f.Caveats, caveatWork)
	}
}
