package analysis

import "fmt"

// twinNotes tell of requests that are logged twice.
func (f *Facts) twinNotes() []Note {
	twice, of := f.Quirks.Twins.Twice()
	if twice == 0 {
		return nil
	}
	return []Note{f.note("aggregated-twice", fmt.Sprintf(
		"%d of %d sampled requests are logged twice under one audit ID, one during the other: an aggregated API server also logs the requests that are passed on to it. They count as two requests.",
		twice, of))}
}
