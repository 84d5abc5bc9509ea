package endpointflap

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
)

// intents are the times at which endpoints are deleted for a good reason: their
// Service or their namespace goes, or is gone.
type intents []tally.Interval

// near is how far apart things are that belong together: somewhat more where the clocks of
// API servers differ.
func near(p *analysis.Pass) time.Duration { return p.Duration(optIntent) + p.Facts.Skew() }

// intentsOf collects them. A Service that is created was not there before, so
// what was deleted up to then belonged to none, even if its deletion is not in
// the log. Once it was deleted, controllers may be behind for a while.
func intentsOf(p *analysis.Pass, s *State) intents {
	near := near(p)
	var found intents
	deletions, creations := s.Service.deletions(), s.Service.creations()
	for _, del := range deletions {
		until := p.Facts.Span.Last.Add(near)
		for _, c := range creations {
			if c.From >= del.From {
				until = c.From
				break
			}
		}
		found = append(found, tally.Interval{From: del.From.Add(-near), To: max(until, del.To.Add(near))})
	}
	if len(creations) > 0 && (len(deletions) == 0 || creations[0].From < deletions[0].From) {
		found = append(found, tally.Interval{From: 0, To: creations[0].From})
	}
	namespace, _ := p.Facts.NamespaceDeleted(p.Key.Namespace.String())
	for _, gone := range namespace {
		// Nothing can be created in a namespace that is being deleted.
		until := p.Facts.Span.Last
		for _, c := range slices.Concat(creations, s.Endpoints.creations()) {
			if c.From > gone.To {
				until = min(until, c.From)
			}
		}
		found = append(found, tally.Interval{From: gone.From.Add(-near), To: max(until, gone.To.Add(near))})
	}
	return found
}

// explain reports whether the move was made at such a time.
func (in intents) explain(m *Move) bool {
	for _, when := range in {
		if m.From <= when.To && when.From <= m.To {
			return true
		}
	}
	return false
}

// swept reports whether all Services of the namespace were deleted at once
// about then: a deletecollection names none of them.
func swept(p *analysis.Pass, m *Move) bool {
	near := near(p)
	services := analysis.Scope{Resource: resServices, Namespace: p.Key.Namespace}
	del, ok := p.Facts.LastDelete(services, m.To.Add(near))
	return ok && del.Name == "" && m.From <= del.At.Add(near)
}
