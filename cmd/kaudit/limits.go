package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
)

// Limits are what an expression of jq may take.
type limits struct {
	steps int    // of gojq's machine
	room  uint64 // how much more memory, in bytes; what one step takes is not seen before it is done
}

// A limitError says what an expression took too much of.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// Hint says where to look.
func (e *limitError) Hint() string {
	return "an expression with repeat, range or recursion may have no end"
}

// A steps is a context that ends after so many steps, and not after a time, so
// that one log gives one answer on any machine; and where so much memory is
// taken that the machine would suffer. gojq asks whether it has ended before
// each step.
type steps struct {
	context.Context
	limits limits
	left   int
	why    error // that it has ended

	next   int    // the memory is looked at when so many steps are left
	before uint64 // in use at first
	last   uint64 // when it was looked at last
	heap   []metrics.Sample
}

// ended is a channel that is closed.
var ended = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// unseen is how many steps pass before memory is looked at: hardly an
// expression takes more on an event, and in so few none gets big.
const unseen = 128

func newSteps(ctx context.Context, l limits) *steps {
	return &steps{Context: ctx, limits: l, left: l.steps, next: l.steps - unseen}
}

func (s *steps) Done() <-chan struct{} {
	s.left--
	switch {
	case s.why != nil:
		return ended
	case s.left < 0:
		s.why = &limitError{fmt.Sprintf("was not done after %d steps", s.limits.steps)}
		return ended
	case s.left <= s.next && s.tooBig():
		s.why = &limitError{fmt.Sprintf("took more than %d MiB of memory", s.limits.room>>20)}
		return ended
	}
	return s.Context.Done()
}

func (s *steps) Err() error {
	if s.why != nil {
		return s.why
	}
	return s.Context.Err()
}

// tooBig looks at the memory that is in use. A text that is added to itself
// doubles every few steps: while something grows fast, it is looked at more often.
func (s *steps) tooBig() bool {
	const often, seldom, grows = 4, 32, 1 << 20
	first := s.heap == nil
	if first {
		s.heap = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	}
	now := s.inUse()
	if first || now < s.before {
		s.before = now // or rubbish was collected
	}
	s.next = s.left - seldom
	if !first && now > s.last+grows {
		s.next = s.left - often
	}
	s.last = now
	if now-s.before <= s.limits.room {
		return false
	}
	runtime.GC() // it may be rubbish
	s.last = s.inUse()
	return s.last > s.before+s.limits.room
}

func (s *steps) inUse() uint64 {
	metrics.Read(s.heap)
	return s.heap[0].Value.Uint64()
}
