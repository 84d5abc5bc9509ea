package picture

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Spark returns how much of a finding went on in each of n cells of the span:
// the time that its marks cover there, and for marks without length how many
// there are. Without marks, its evidence says when it was seen. When all was well
// counts for nothing.
//
// The largest value is 1. Nothing is 0, and only nothing.
func Spark(f *analysis.Finding, span Span, n int) []float64 {
	cells := make([]float64, max(n, 0))
	if n <= 0 || span.To < span.From {
		return cells
	}
	for _, m := range f.Marks {
		bar := barOf(m, span)
		if bar.Kind.Tone != Alive && span.meets(bar.From, bar.To) {
			addBar(cells, &bar, span)
		}
	}
	if len(f.Marks) == 0 {
		for _, e := range f.Evidence {
			if span.meets(e.Time, e.Time) {
				cells[cellOf(e.Time, span, n)]++
			}
		}
	}
	return scaled(cells)
}

// Heard returns how much of each of n cells of the span the lane's time was in
// which all was well. It is nil if the lane tells of none.
func (l *Lane) Heard(span Span, n int) []float64 {
	_, well := l.Told()
	if len(well) == 0 || n <= 0 || span.To < span.From {
		return nil
	}
	cells := make([]float64, n)
	for i := range well {
		addBar(cells, &well[i], span)
	}
	return cells
}

func addBar(cells []float64, bar *Bar, span Span) {
	n := len(cells)
	first, last := cellOf(bar.From, span, n), cellOf(bar.To, span, n)
	if bar.Kind.Tone == Moment || bar.From >= bar.To {
		for i := first; i <= last; i++ {
			cells[i] += float64(bar.N) / float64(last-first+1)
		}
		return
	}
	wide := 100 / float64(n)
	for i := first; i <= last; i++ {
		left, right := float64(i)*wide, float64(i+1)*wide
		if covered := min(bar.X+bar.Width, right) - max(bar.X, left); covered > 0 {
			cells[i] += covered / wide
		}
	}
}

func cellOf(t audit.Time, span Span, n int) int {
	return min(int(span.X(t)*float64(n)/100), n-1)
}

func scaled(cells []float64) []float64 {
	most := 0.0
	for _, v := range cells {
		most = max(most, v)
	}
	for i := range cells {
		if most > 0 {
			cells[i] /= most
		}
	}
	return cells
}
