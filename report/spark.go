package report

import (
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/report/picture"
)

// sparks are the cells of a spark line, by height. Zero is a dot.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkLine draws values from 0 to 1: a dot is nothing.
func sparkLine(values []float64) string {
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune(sparks[min(int(v*float64(len(sparks))), len(sparks)-1)])
	}
	return b.String()
}

// coarse sums values up into at most n cells, scaled so that the largest is 1.
func coarse(values []int64, n int) []float64 {
	n = min(n, len(values))
	cells := make([]float64, n)
	most := 1.0
	for i, v := range values {
		at := i * n / len(values)
		cells[at] += float64(v)
		most = max(most, cells[at])
	}
	for i := range cells {
		cells[i] /= most
	}
	return cells
}

// A course draws when findings went on, over the span of the log.
type course struct {
	span  picture.Span
	paint painter
}

func (p *page) course(r *Report) course { return course{r.span(), p.paint} }

// line returns a finding's spark line of n cells, or "" for a log of no
// length.
func (c course) line(f *analysis.Finding, n int) string {
	if c.span.To <= c.span.From {
		return ""
	}
	return c.paint.dim(sparkLine(picture.Spark(f, c.span, n)))
}

// below returns text with the spark line below it.
func (c course) below(text string, f *analysis.Finding, n int) string {
	if line := c.line(f, n); line != "" {
		return text + "\n" + line
	}
	return text
}
