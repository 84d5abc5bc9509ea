package driver

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/kaudit/kaudit/parser"
)

// A Refused is a record that is no audit event.
type Refused struct {
	Source string
	Line   int    // from 1
	Kind   string // see parser.Kind
	Why    string
	Text   string // with Options.Examples: how it begins, without its carriers
}

// maxRefused is how many refused records of each kind are kept: the first by source and
// position.
const maxRefused = 3

// maxExample is how many bytes of a refused record are kept to be shown.
const maxExample = 4 << 10

type refused struct {
	part *parser.Part
	at   parser.Refused
	text string
}

// compare orders what was refused by kind and place.
func (r refused) compare(o refused) int {
	return cmp.Or(
		cmp.Compare(r.at.Kind, o.at.Kind),
		strings.Compare(r.part.Name, o.part.Name),
		cmp.Compare(r.at.Offset, o.at.Offset),
	)
}

// firstRefused returns the first few of each kind.
func firstRefused(all []refused) []refused {
	slices.SortFunc(all, refused.compare)
	kept := all[:0]
	var count [8]int
	for _, r := range all {
		if count[r.at.Kind]++; count[r.at.Kind] <= maxRefused {
			kept = append(kept, r)
		}
	}
	return kept
}

// firstOfParts returns the first few of each kind in each part.
func firstOfParts(all []refused) []refused {
	slices.SortFunc(all, refused.compare)
	kept, n := all[:0], 0
	for _, r := range all {
		if k := len(kept); k == 0 || kept[k-1].part != r.part || kept[k-1].at.Kind != r.at.Kind {
			n = 0
		}
		if n++; n <= maxRefused {
			kept = append(kept, r)
		}
	}
	return kept
}

// trimRefused bounds how much a worker keeps of what was refused. Which parts count as
// passed over is known only at the end, so it keeps the first few of each part.
func (w *worker) trimRefused() {
	if len(w.refused) > w.roomRefused {
		w.refused = firstOfParts(w.refused)
		w.roomRefused = max(100, 2*len(w.refused))
	}
}

// An exampleKey is what one example is kept of.
type exampleKey struct {
	part *parser.Part
	kind parser.Kind
}

// mostRejects is how many bytes of memory a worker keeps for refused lines.
const mostRejects = 1 << 20

// watchRefusals makes the worker keep refused lines and examples, if they are asked for.
func (w *worker) watchRefusals() {
	o := &w.shared.options
	if o.Examples {
		w.examples = map[exampleKey]refused{}
	}
	if !o.Examples && o.Rejects == nil {
		return
	}
	w.decoder.Refuse = func(r parser.Refusal) {
		if o.Rejects != nil {
			w.rejects = append(w.rejects, r.Raw...)
			if n := len(r.Raw); n > 0 && r.Raw[n-1] != '\n' && !r.More {
				w.rejects = append(w.rejects, '\n')
			}
		}
		if o.Examples {
			w.keepExample(&r)
		}
	}
}

func (w *worker) keepExample(r *parser.Refusal) {
	key := exampleKey{w.part, r.Kind}
	if before, ok := w.examples[key]; ok && before.at.Offset <= r.Offset {
		return
	}
	w.examples[key] = refused{w.part, r.Refused, string(r.Text[:min(len(r.Text), maxExample)])}
}

// joinExamples returns the first example of each part and kind.
func joinExamples(workers []*worker) map[exampleKey]refused {
	all := map[exampleKey]refused{}
	for _, w := range workers {
		for key, r := range w.examples {
			if before, ok := all[key]; !ok || r.at.Offset < before.at.Offset {
				all[key] = r
			}
		}
	}
	return all
}

// A rejects writes refused lines in the order of the logs: a worker waits until those of
// the chunks before its own are written.
type rejects struct {
	w io.Writer

	mu    sync.Mutex
	moved *sync.Cond
	turn  int // the Seq of the chunk that may write
	err   error
}

func newRejects(w io.Writer) *rejects {
	r := &rejects{w: w}
	r.moved = sync.NewCond(&r.mu)
	return r
}

// write writes the refused lines of the chunk with this Seq. It must be called for every
// chunk.
func (r *rejects) write(seq int, lines []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.turn != seq {
		r.moved.Wait()
	}
	if len(lines) > 0 && r.err == nil {
		_, r.err = r.w.Write(lines)
	}
	r.turn++
	r.moved.Broadcast()
}

func (r refused) shown() Refused {
	return Refused{Source: r.part.Name, Line: r.at.Line + 1, Kind: r.at.Kind.String(), Why: r.at.Why, Text: r.text}
}

// addExamples gives sources the examples of what was refused of them.
func (r *Result) addExamples(all map[exampleKey]refused) {
	byName := map[string][]refused{}
	for _, e := range all {
		byName[e.part.Name] = append(byName[e.part.Name], e)
	}
	for i := range r.Input.Sources {
		s := &r.Input.Sources[i]
		examples := byName[s.Name]
		slices.SortFunc(examples, refused.compare)
		for _, e := range examples {
			s.Examples = append(s.Examples, e.shown())
		}
	}
}
