package driver

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kaudit/kaudit/parser"
)

// result makes the result of what the workers and the shard know.
func (s *shared) result(logs []*parser.Log, workers []*worker) *Result {
	r := new(Result)
	for _, w := range workers {
		r.Partial = r.Partial || w.err != nil
	}
	if r.Partial {
		leaveHoles(s.shard.Facts(), logs, s.parts)
	}
	s.conclude(r)
	logs, archives := parser.Expand(logs)
	r.Input = newInput(logs, s.parts, r.Partial)
	r.Input.label(r.Facts.LogLabels())
	for _, a := range archives {
		r.Input.addArchive(a, s.parts, r.Partial)
	}
	r.Input.Overlaps = overlapsOf(workers)
	if s.dedupe == nil && !r.Partial {
		r.Input.Copies = parser.Copies(logs)
	}
	if s.dedupe != nil {
		r.Input.Duplicates = &s.dedupe.dropped
		r.Input.Events -= s.dedupe.dropped
	}
	if s.options.Select != nil {
		r.Input.Selected = new(int64)
		for _, w := range workers {
			*r.Input.Selected += w.selected
		}
	}
	s.addRefused(r, workers)
	return r
}

// conclude makes the findings of what the shard has seen.
func (s *shared) conclude(r *Result) {
	shard := s.shard
	shard.Settle()
	r.Facts, r.Blind, r.Overflow = shard.Facts(), shard.Blind(), shard.Overflow()
	findings, more, whole := shard.Conclude(s.options.Settings, s.late.Load, s.spread)
	r.Findings, r.Partial = findings, r.Partial || !whole
	for name, n := range more {
		r.Overflow[name] += n
	}
	for i := range r.Findings {
		evidence := r.Findings[i].Evidence
		for j := range evidence {
			evidence[j].Line++ // from 1
		}
	}
}

// spread calls do with each number below n, by as many at a time as there are workers.
func (s *shared) spread(n int, do func(int)) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(n, s.options.Workers) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	running.Wait()
}

// addRefused adds what was refused.
func (s *shared) addRefused(r *Result, workers []*worker) {
	var all []refused
	for _, w := range workers {
		all = append(all, w.refused...)
	}
	passed := map[string]bool{}
	for _, p := range r.Input.Passed {
		passed[p.Name] = true
	}
	all = slices.DeleteFunc(all, func(f refused) bool { return passed[f.part.Name] })
	for _, f := range firstRefused(all) {
		r.Input.Refused = append(r.Input.Refused, f.shown())
	}
	if s.options.Examples {
		r.addExamples(joinExamples(workers))
	}
	if s.rejects != nil && s.rejects.err != nil {
		r.Input.Errors = append(r.Input.Errors, fmt.Errorf("write what was refused: %w", s.rejects.err))
	}
}

// joinResults sums up runs that read different logs.
func joinResults(results []*Result) *Result {
	all := &Result{Input: Input{Skipped: map[string]int64{}}}
	for _, r := range results {
		all.Partial = all.Partial || r.Partial
		all.Input.join(&r.Input)
	}
	return all
}
