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
	Line   int
	Kind   string
	Why    string
	Text   string // how it begins, without its carriers; for Options.Examples only
}

// maxRefused is how many positions of refused records are kept, of each kind:
// the first by source and position.
const maxRefused = 3

// maxExample is how much of a refused record is kept to be shown.
const maxExample = 4 << 10

type refused struct {
	part *parser.Part
	at   parser.Refused
	text string
}

// compare orders what was refused by kind and place.
func (r refused) compare(s refused) int {
	return cmp.Or(
		cmp.Compare(r.at.Kind, s.at.Kind),
		strings.Compare(r.part.Name, s.part.Name),
		cmp.Compare(r.at.Offset, s.at.Offset),
	)
}

// firstRefused leaves the first few of each kind.
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

// trimRefused bounds what a worker keeps.
func (w *worker) trimRefused() {
	if len(w.refused) > 100 {
		w.refused = firstRefused(w.refused)
	}
}

// An exampleKey is of what one example is kept: the first.
type exampleKey struct {
	part *parser.Part
	kind parser.Kind
}

// mostRejects is how much room a worker keeps for what is refused.
const mostRejects = 1 << 20

// watchRefusals makes the worker look at what is refused.
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

// joinExamples leaves the first example of each part and kind.
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

// A rejects writes what is refused, in the order of the logs: a worker waits
// until the chunks before its own are written.
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

// write writes what was refused of the chunk with this Seq. Every chunk must
// come here.
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
