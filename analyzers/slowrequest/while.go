package slowrequest

import (
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// forAWhile reports whether the client's requests were very slow as a rule during
// some part of the log: very slow requests were there in the number and share
// that the options ask for, among all its requests of that part. In a long log
// the hours when all was well would hide it.
func (c *candidate) forAWhile(p *analysis.Pass, v *verdict) bool {
	least := int64(max(1, p.Int(optRequests)))
	if v.verySlow < least {
		return false
	}
	doubled := &c.state.Slow.Doubled
	n, exact := doubling(p.Duration(optVerySlow))
	if !exact && n > 0 {
		n-- // the next lower class, which includes them, tells when it was
	}
	var all, part tally.Span
	for _, one := range doubled.Spans[n:] {
		all.Merge(one)
	}
	slow := int64(0)
	asRule := func() bool {
		slow = min(slow, v.verySlow)
		return slow >= least && float64(slow) >= p.Float(optShare)*float64(c.askedWithin(p, part))
	}
	for step, counts := range doubled.Steps.All() {
		if counts.from(n) == 0 {
			continue
		}
		if !part.Empty() && step.From.Sub(part.Last) > pause {
			if asRule() {
				return true
			}
			part, slow = tally.Span{}, 0
		}
		part.Merge(tally.Span{First: max(step.From, all.First), Last: min(step.To, all.Last)})
		slow += counts.from(n)
	}
	return asRule()
}

// pause separates two such parts of a log: the time without a very slow request.
const pause = 5 * time.Minute

// askedWithin returns how many requests of any kind the client made in a part of
// the log. If that is not known, it returns how many of this kind it made in all.
func (c *candidate) askedWithin(p *analysis.Pass, part tally.Span) int64 {
	if n, known := p.Facts.RequestsWithin(c.key.Client(), part.First, part.Last); known {
		return n
	}
	return c.state.count()
}
