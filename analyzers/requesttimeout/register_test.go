package requesttimeout

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// halves returns the beginnings and ends of more requests than a register
// keeps; every hundredth has no end.
func halves() []audit.Event {
	var events []audit.Event
	for i := range 5 * maxRegister {
		e := audit.Event{
			Source: "audit.log", Log: "audit.log", Offset: int64(i), Verb: audit.VerbGet,
			AuditID: audit.View(fmt.Sprint("id-", i)), Received: audit.Time(i + 1), At: audit.Time(i + 1),
			Stage: audit.StageRequestReceived,
		}
		events = append(events, e)
		if i%100 != 0 {
			e.Stage, e.At = audit.StageResponseComplete, e.At+5
			events = append(events, e)
		}
	}
	return events
}

func TestAFullRegisterDoesNotDependOnHowTheLogWasCut(t *testing.T) {
	const workers = 3
	events := halves()
	rng := rand.New(rand.NewPCG(1, 2))
	var serial Register
	for i := range events {
		serial.observe(&events[i])
	}
	var dealt [workers]Register
	rng.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	for i := range events {
		dealt[rng.IntN(workers)].observe(&events[i])
	}
	for i := 1; i < workers; i++ {
		dealt[0].merge(&dealt[i])
	}
	want, got := saved(t, &serial), saved(t, &dealt[0])
	if got != want {
		t.Errorf("dealt to %d workers a register has %d bytes, in order %d, or they differ", workers, len(got), len(want))
	}
}

func TestAFullRegisterFindsOnlyWhatHasNoEnd(t *testing.T) {
	events := halves()
	var r Register
	for i := range events {
		r.observe(&events[i])
	}
	open, share := r.open()
	if share <= 0.15 || share >= 0.25 {
		t.Errorf("the share is %.3f; want a fifth", share)
	}
	if n := float64(len(open)) / share; n < 0.5*maxRegister/20 || n > 1.5*maxRegister/20 {
		t.Errorf("%d requests are open, which stands for %.0f; want about %d", len(open), n, maxRegister/20)
	}
	for _, b := range open {
		if (b.Received-1)%100 != 0 {
			t.Errorf("the request received at %d has an end, and is said to be open", b.Received)
		}
	}
}

func saved(t *testing.T, r *Register) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
