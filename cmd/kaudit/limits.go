package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
)

// Limits are what the evaluation of a jq expression may take.
type limits struct {
	steps int    // of gojq's virtual machine
	room  uint64 // bytes of memory, beside what is in use before; looked at between steps only
}

// A limitError says what an expression took too much of.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// Hint says where to look.
func (e *limitError) Hint() string {
	return "an expression with repeat, range or recursion may have no end"
}

// A steps is a context that ends when its limits are reached. gojq calls Done
// before each step of its machine. It counts steps and not time, so that a log
// gives the same answer on any machine.
type steps struct {
	context.Context
	limits limits
	left   int   // steps
	why    error // why it ended, or nil

	next   int    // memory is looked at when so many steps are left
	before uint64 // bytes in use at the beginning
	last   uint64 // bytes in use when they were looked at last
	heap   []metrics.Sample
}

// ended is a channel that is closed.
var ended = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// unseen is how many steps pass before memory is looked at first: most
// expressions are done with an event by then, and none can take much.
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

// tooBig reports whether too much memory is in use. It decides when to look
// again: more often while memory grows fast, since a text that is added to itself
// doubles every few steps.
func (s *steps) tooBig() bool {
	const often, seldom, grows = 4, 32, 1 << 20
	first := s.heap == nil
	if first {
		s.heap = []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	}
	now := s.inUse()
	if first || now < s.before {
		s.before = now // below it: garbage was collected
	}
	s.next = s.left - seldom
	if !first && now > s.last+grows {
		s.next = s.left - often
	}
	s.last = now
	if now-s.before <= s.limits.room {
		return false
	}
	runtime.GC() // much of it may be garbage
	s.last = s.inUse()
	return s.last > s.before+s.limits.room
}

func (s *steps) inUse() uint64 {
	metrics.Read(s.heap)
	return s.heap[0].Value.Uint64()
}
