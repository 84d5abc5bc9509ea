package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

// TestABatchHoldsTheEventsOneByOne reads each carrier's input many times over,
// so that batches are full, and looks at a batch when all of it was decoded:
// nothing that an event points into may be used for the next.
func TestABatchHoldsTheEventsOneByOne(t *testing.T) {
	for name, sections := range carrierCases(t) {
		var input strings.Builder
		for n := range 50 {
			input.WriteString(filled(sections["input"], func(id string) string { return noted(fmt.Sprint(id, n)) }))
		}
		for _, size := range []int{700, 1 << 20} {
			one := readEvents(t, input.String(), size, func(d *Decoder, add func(*audit.Event)) {
				for d.Next() {
					add(d.Event())
				}
			})
			batches := readEvents(t, input.String(), size, func(d *Decoder, add func(*audit.Event)) {
				for batch := d.Batch(); len(batch) > 0; batch = d.Batch() {
					for i := range batch {
						add(&batch[i])
					}
				}
			})
			if diff := cmp.Diff(one, batches); diff != "" {
				t.Errorf("%s, chunks of %d (-one by one +in batches):\n%s", name, size, diff)
			}
		}
	}
}

// TestABatchIsNeverEmptyBeforeTheEnd has records of many events, joined of pieces
// and larger than the room of a batch: none may be lost.
func TestABatchIsNeverEmptyBeforeTheEnd(t *testing.T) {
	list := func(n int) string {
		var items []string
		for i := range n {
			items = append(items, item(fmt.Sprint("id-", i)))
		}
		return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[` + strings.Join(items, ",") + `]}`
	}
	const stamp = "2026-01-05T09:00:00.000000000Z stdout "
	few, many := list(3), list(4000)
	for _, c := range []struct {
		name, input string
		want        int
	}{
		{"a list in pieces of CRI", stamp + "P " + few[:200] + "\n" + stamp + "F " + few[200:] + "\n" + stamp + "F " + event("last") + "\n", 4},
		{"a list in a line of Docker", `{"log":` + quoted(many+"\n") + `,"stream":"stdout","time":"2026-01-05T09:00:00Z"}` + "\n", 4000},
		{"a list in a shipper's record", `{"message":` + quoted(many) + "}\n" + event("last") + "\n", 4001},
	} {
		events := readEvents(t, c.input, 1<<20, func(d *Decoder, add func(*audit.Event)) {
			for batch := d.Batch(); len(batch) > 0; batch = d.Batch() {
				for i := range batch {
					add(&batch[i])
				}
			}
		})
		if len(events) != c.want {
			t.Errorf("%s: %d events, want %d", c.name, len(events), c.want)
		}
	}
}

// noted is an event with an escaped name and annotations of its own.
func noted(id string) string {
	return strings.NewReplacer(`"verb":"`, `"userAgent":"a\"`+id+`","verb":"`).Replace(
		strings.TrimSuffix(event(id), "}") + `,"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: \"` + id + `\""}}`)
}

func readEvents(t *testing.T, input string, size int, read func(*Decoder, func(*audit.Event))) (events []string) {
	t.Helper()
	r := NewReader([]*Log{NewLog("-", strings.NewReader(input))}, Options{ChunkSize: size})
	defer r.Close()
	d := Decoder{OwnLog: true}
	var chunk Chunk
	for r.Next(t.Context(), &chunk) == nil {
		d.Reset(&chunk)
		read(&d, func(e *audit.Event) {
			events = append(events, fmt.Sprintf("%s:%d %+v %s %s %s %v", e.Log, e.Offset, e.Ref(), e.AuditID, e.Raw, e.UserAgent, e.Annotations))
		})
	}
	return events
}
