package query

import (
	"cmp"
	"slices"
	"strings"
)

// Distance returns the edit distance of a and b: how many bytes must be added,
// dropped or changed, or neighbours swapped, to turn the one into the other.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// Tolerance returns the Distance up to which a word may be a misspelling of
// another.
func Tolerance(word string) int { return max(1, (len(word)+1)/3) }

// A near looks in a log for what values that matched nothing may have been meant
// to be. It keeps the few nearest of the texts that it sees, whatever their order.
type near struct {
	values []string // in lower case
	best   []candidate
}

// A candidate is a text of the log, and how far it is from a value.
type candidate struct {
	far  int // see farness
	text string
}

// mostNear is how many texts are kept.
const mostNear = 3

// newNear returns a near for those values that are no patterns and not negated.
func newNear(values []string) near {
	var n near
	for _, v := range values {
		if v != "" && v[0] != '!' && !isExpression(v) && !strings.Contains(v, "*") {
			n.values = append(n.values, strings.ToLower(v))
		}
	}
	return n
}

// see keeps a text if it is near.
func (n *near) see(text string) {
	if text == "" {
		return
	}
	for _, v := range n.values {
		if far, ok := farness(v, strings.ToLower(text)); ok {
			n.keep(candidate{far, text})
		}
	}
}

// farness returns how far a text is from a value, both in lower case. ok is false
// if the value can't have been meant to be the text. A text that contains the value
// is further than any that is spelt almost like it.
func farness(value, text string) (far int, ok bool) {
	most := Tolerance(value)
	if longer := len(text) - len(value); -most <= longer && longer <= most {
		if far = Distance(value, text); far <= most {
			return far, true
		}
	}
	if isPartOf(value, text) {
		return 1000 + len(text), true
	}
	return 0, false
}

// isPartOf reports whether a word in text begins with value, as "web" in
// "shop-web-0". Values of one or two letters are part of nothing.
func isPartOf(value, text string) bool {
	const shortest = 3
	if len(value) < shortest {
		return false
	}
	for rest := text; ; {
		i := strings.Index(rest, value)
		if i < 0 {
			return false
		}
		at := len(text) - len(rest) + i
		if at == 0 || strings.IndexByte("-_./:@ ", text[at-1]) >= 0 {
			return true
		}
		rest = rest[i+1:]
	}
}

func (n *near) keep(c candidate) {
	if slices.ContainsFunc(n.best, func(b candidate) bool { return b.text == c.text }) {
		return
	}
	i, _ := slices.BinarySearchFunc(n.best, c, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.text, b.text))
	})
	if n.best = slices.Insert(n.best, i, c); len(n.best) > mostNear {
		n.best = n.best[:mostNear]
	}
}

// merge adds what another one has seen.
func (n *near) merge(o *near) {
	for _, c := range o.best {
		n.keep(c)
	}
}

func (n *near) texts() []string {
	var all []string
	for _, c := range n.best {
		all = append(all, c.text)
	}
	return all
}
