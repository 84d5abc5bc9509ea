package analysis

import (
	"slices"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// The stages of one request may name two programs, where somebody writes what he
// likes: whose watch it is does not depend on which of them is read first.
func TestAWatchIsTheSameClientsInAnyOrder(t *testing.T) {
	begun := done(t, 0, 1, "app watch shop/pods 200")
	ended := *begun
	begun.Stage, begun.UserAgent, ended.UserAgent = audit.StageResponseStarted, audit.Intern("one/1"), audit.Intern("other/2")
	events := []*audit.Event{begun, &ended}
	var clients []uint64
	for range 2 {
		var read, first, second watchSample
		for i, e := range events {
			read.observe(e)
			[]*watchSample{&first, &second}[i].observe(e)
		}
		first.merge(&second)
		clients = append(clients, read.Kept[0].Client, first.Kept[0].Client)
		slices.Reverse(events)
	}
	if clients = slices.Compact(clients); len(clients) != 1 {
		t.Errorf("it is of the clients %d, want one", clients)
	}
}
