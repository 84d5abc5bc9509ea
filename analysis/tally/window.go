package tally

import (
	"iter"
	"time"
)

// A Window is a run of cells that lie within some width of time.
type Window struct {
	First, Last int   // indexes of its cells
	Sum         int64 // of what was counted in them
}

// Windows returns, for each of cells, the window that ends with it. count counts what is in
// a cell. Where steps are longer than the width, which must be above zero, a window is one
// cell, and its sum the width's share of that. The width is cut to whole steps.
func Windows[C any](cells []Cell[C], step, width time.Duration, count func(*C) int64) iter.Seq[Window] {
	return func(yield func(Window) bool) {
		steps := max(1, int64(width/step))
		first, sum := 0, int64(0)
		for last := range cells {
			sum += count(&cells[last].Value)
			for cells[last].Index-cells[first].Index >= steps {
				sum -= count(&cells[first].Value)
				first++
			}
			w := Window{first, last, sum}
			if step > width {
				w.Sum = sum * int64(width) / int64(step)
			}
			if !yield(w) {
				return
			}
		}
	}
}
