package analysis

import "github.com/kaudit/kaudit/audit"

// quirkFacts are what makes parts of a log less than they seem.
type quirkFacts struct {
	Truncated        int64 `json:"truncated"`
	Watches          int64 `json:"watches"`
	UntrustedWatches int64 `json:"untrustedWatches"`
	Slow             int64 `json:"slow"`
	SlowExplained    int64 `json:"slowExplained"`
}

func (q *quirkFacts) observe(e *audit.Event) {}

func (q *quirkFacts) merge(o *quirkFacts) {}

// UntrustedWatches returns how many watches have stage times that can't be
// trusted, of how many that were looked at.
func (f *Facts) UntrustedWatches() (untrusted, of int) {
	return int(f.Quirks.UntrustedWatches), int(f.Quirks.Watches)
}
