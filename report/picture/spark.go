package picture

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// Spark returns how much of a finding went on in each of n cells of the span: the time
// that its marks cover there, or the number of marks without length. Marks of the time
// when all was well do not count. A finding without marks is shown by its evidence.
//
// The largest value is 1. A cell is 0 only if nothing went on in it.
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

// Heard returns how much of each of n cells of the span is covered by the
// lane's bars of the time when all was well. It is nil if there are none.
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
