package endpointflap

import (
	"fmt"

	"github.com/kaudit/kaudit/analysis"
)

const caveatLeftOut = "deletions by the same client that are not counted: %d; the Service or its namespace was deleted about then, or was gone"

// leftOut says on a finding how many deletions by its client have a good reason, and so do
// not count, although the client deletes without one at other times. Those by a controller
// that keeps endpoints are its duty.
func (j *judge) leftOut(f *analysis.Finding, h *History) {
	n := int64(0)
	for _, c := range h.Cells.All() {
		if d := c.Deleted; d != nil && d.First.User == f.Subject.User && !d.First.byKeeper() && j.withService(&d.First) {
			n += d.N
		}
	}
	if n > 0 {
		f.Details["leftOut"] = int(n)
		f.Caveats = append(f.Caveats, fmt.Sprintf(caveatLeftOut, n))
	}
}

// withService reports whether the Service, or its namespace, went about the time of a move.
func (j *judge) withService(m *Move) bool {
	return j.intents.explain(m) || swept(j.pass, m) || !m.IsSlice && j.collected(m)
}
