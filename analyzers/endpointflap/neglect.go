package endpointflap

import "github.com/kaudit/kaudit/analysis"

// neglect says that Endpoints were never updated from the first deletion to the
// last while slices of the namespace were: the controller that keeps Endpoints is
// stuck with them, and who deletes them makes it begin anew. It is "" where a
// controller deletes them itself, and where there is too little to compare.
func (j *judge) neglect(f *analysis.Finding, fl *flap) string {
	if fl.count() < j.pass.Int(optCycles) || j.state.Updated >= f.First {
		return ""
	}
	for i := range fl.cycles {
		if fl.cycles[i].deleted.byKeeper() {
			return ""
		}
	}
	slices := analysis.Scope{Group: groupSlices, Resource: resSlices, Namespace: j.pass.Key.Namespace}
	if j.pass.Facts.UpdatesWithin(slices, f.First, f.Last) == 0 { // how many, a long log does not tell exactly
		return ""
	}
	f.Details["neglected"] = true
	return "; they were not updated meanwhile, and endpoint slices of the namespace were"
}
