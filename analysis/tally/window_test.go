package tally

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWindowsEndWithEachCell(t *testing.T) {
	cells := []Cell[Count]{{10, 3}, {11, 1}, {13, 5}, {20, 8}}
	count := func(c *Count) int64 { return int64(*c) }
	for _, c := range []struct {
		name        string
		step, width time.Duration
		want        []Window
	}{
		{"one step", time.Minute, time.Minute, []Window{{0, 0, 3}, {1, 1, 1}, {2, 2, 5}, {3, 3, 8}}},
		{"three steps", time.Minute, 3 * time.Minute, []Window{{0, 0, 3}, {0, 1, 4}, {1, 2, 6}, {3, 3, 8}}},
		{"part of a step is none", time.Minute, 119 * time.Second, []Window{{0, 0, 3}, {1, 1, 1}, {2, 2, 5}, {3, 3, 8}}},
		{"a quarter of a step", 4 * time.Minute, time.Minute, []Window{{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 2}}},
		{"all", time.Minute, time.Hour, []Window{{0, 0, 3}, {0, 1, 4}, {0, 2, 9}, {0, 3, 17}}},
	} {
		if diff := cmp.Diff(c.want, slices.Collect(Windows(cells, c.step, c.width, count))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
