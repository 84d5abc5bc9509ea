package tally

import (
	"encoding/json"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestAnAuditIDIsKeptAsItWas(t *testing.T) {
	var kept Line // one for all, so that nothing of one is left in the next
	for _, id := range []string{
		"ca329f9a-cb7e-d0c5-d1d3-f6241d23a174", "", "CA329F9A-cb7e-d0c5-d1d3-f6241d23a174", "chosen by a client",
		"ca329f9a-cb7e-d0c5-d1d3-f6241d23a17", "ca329f9acb7e-d0c5-d1d3-f6241d23a174-", "ga329f9a-cb7e-d0c5-d1d3-f6241d23a174",
		"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "ca329f9a-cb7e-d0c5-d1d3-f6241d23a17\n",
	} {
		kept.Set(&audit.Event{Source: "audit.log", AuditID: audit.View(id)})
		if got := kept.Ref(audit.Event{}).AuditID; got != id {
			t.Errorf("got %q, want %q", got, id)
		}
		raw, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		var read Line
		if err := json.Unmarshal(raw, &read); err != nil || read != kept {
			t.Errorf("%q is read from JSON as %q, %v", id, read.auditID(), err)
		}
	}
}

func TestALineOfTheSameFileIsKeptWithoutAnAllocation(t *testing.T) {
	var kept Line
	e := audit.Event{Source: "audit.log", AuditID: audit.View("ca329f9a-cb7e-d0c5-d1d3-f6241d23a174")}
	kept.Set(&e)
	if n := testing.AllocsPerRun(10, func() { kept.Set(&e) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
