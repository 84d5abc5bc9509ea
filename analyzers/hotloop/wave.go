package hotloop

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// kindWave is no loop: many clients ask for one thing, each once, at one time.
const kindWave = "wave"

// waves reports that many nodes asked for a service account's token at one
// time, which kubelets do when pods have started together or their tokens run
// out together: it explains a burst of creates, and is no loop.
func (s *State) waves(p *analysis.Pass) {
	if !s.Tokens.whole() {
		return // in a cluster where tokens are asked for all the time a wave is nothing new
	}
	least := limitsOf(p).half().requests // it is for information anyway
	objects := byObject(items(&s.Tokens, nil))
	for _, o := range objects {
		for _, wave := range hot(o.items, p.Duration(optBurst), func(s *sum) bool { return s.writes >= least }) {
			clients := len(deal(wave, func(i *item) writer { return i.writer() }))
			if 2*clients > len(wave) {
				reportWave(p, wave, clients)
			}
		}
	}
}

func reportWave(p *analysis.Pass, wave stretch, clients int) {
	first := &wave[0]
	s := p.Key.Subject()
	s.Namespace, s.Name, s.Subresource = first.Namespace().String(), first.Name(), first.Subresource().String()
	var span tally.Span
	for i := range wave {
		span.Add(wave[i].Began())
		span.Add(wave[i].Time)
	}
	p.Report(analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(wave),
		First: span.First, Last: span.Last, Subject: s,
		Title: analysis.Plain(fmt.Sprintf("%d clients asked for tokens of %s/%s within %s, %d times in all",
			clients, s.Namespace, s.Name, max(wave.length(), time.Second).Round(time.Second), len(wave))),
		Details: analysis.Details{
			"kind": kindWave, "clients": clients, "writes": len(wave), "conflicts": 0, "reads": 0, "objects": 1,
			"writers": users(wave), "seconds": tenths(wave.length()),
		},
		Evidence: analysis.Cite(lines(wave)...), Marks: []analysis.Mark{{Kind: kindWave, From: span.First, To: span.Last, N: len(wave)}},
	})
}
