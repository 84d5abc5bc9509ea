// Package tally holds the values that states are made of: counts, samples,
// sets, and things that happened over time. They add up: let events be added
// in any order to any number of tallies of a kind, and those be merged in any
// order, and the result is the same.
//
// All are bounded, and what a full one drops depends on what it holds, never
// on what came first: samples keep the smallest by a total order, sets the
// smallest by a fixed hash, values over time double their step. A threshold
// only falls and a step only grows, so what is kept is complete.
//
// encoding/json writes every type whole and reads it again. The zero value is ready for use. A field Cap (or K, or StepMicros)
// may be set before the first use where the default does not fit; tallies that
// are merged must have the same.
//
// Merge takes its argument apart: do not use it again. Nothing here is safe
// for use by several goroutines at once.
package tally
