package analysistest

import (
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/fixtures"
)

// Observe measures what an analyzer costs an event of an ordinary log: its
// Keys, the look-up of the state, and the state's Observe. The facts and the
// decoder are left out.
func Observe(b *testing.B, newAnalyzer func() *analysis.Analyzer) {
	data, err := fixtures.FS.ReadFile("f-big-normal-metadata/audit.log.gz")
	if err != nil {
		b.Fatal(err)
	}
	events, err := decode(map[string][]byte{"audit.log": data})
	if err != nil {
		b.Fatal(err)
	}
	a := newAnalyzer()
	states := map[analysis.Key]analysis.State{}
	var keys []analysis.Key
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		e := &events[i].event
		keys = a.KeysOf(e, keys[:0])
		for _, key := range keys {
			state, ok := states[key]
			if !ok {
				state = a.New()
				states[key] = state
			}
			state.Observe(e)
		}
		if i++; i == len(events) {
			i = 0
		}
	}
}
