package driver

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// TestWhatIsKeptOfChunksDoesNotGrow takes in chunks as eight workers finish
// them, each with two events, of which the second of every third chunk is
// later than the first of the next.
func TestWhatIsKeptOfChunksDoesNotGrow(t *testing.T) {
	const chunks, workers = 3000, 8
	var kept runs
	var waiting []run
	var outOfOrder int64
	for i := 0; i < chunks || len(waiting) > 0; i++ {
		if i < chunks {
			at := audit.Time(10 * i)
			c := run{from: i, to: i + 1, firstAt: at, lastAt: at + 1, empty: i%7 == 1}
			if i%3 == 0 {
				c.lastAt += 100
			}
			waiting = append(waiting, c)
		}
		if len(waiting) == workers || i >= chunks {
			next := rand.IntN(len(waiting))
			if len(waiting) == workers && waiting[0].from < i-2*workers {
				next = 0 // no worker takes for ever
			}
			outOfOrder += kept.add(waiting[next])
			waiting = slices.Delete(waiting, next, next+1)
		}
		if len(kept) > 2*workers {
			t.Fatalf("%d runs are kept after %d chunks", len(kept), i)
		}
	}
	want := int64(0)
	last := audit.Time(-1)
	for i := range chunks {
		if i%7 == 1 {
			continue
		}
		at := audit.Time(10 * i)
		if at < last {
			want++
		}
		if last = at + 1; i%3 == 0 {
			last += 100
		}
	}
	if len(kept) != 1 || kept.chunks() != chunks || outOfOrder != want {
		t.Errorf("%d runs of %d chunks with %d events out of order; want 1 of %d with %d", len(kept), kept.chunks(), outOfOrder, chunks, want)
	}
}
