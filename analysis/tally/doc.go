// Package tally holds the values that states are made of: counts, samples, sets, and
// things that happened over time. They add up: however events are spread over several
// tallies of a kind, in whatever order they are added and the tallies merged, the result
// is the same.
//
// All are bounded, and what a full one drops depends on what it holds, never on what came
// first: samples keep the smallest items by a total order, sets and tables the smallest
// hashes, and values over time double their step. Since a threshold only falls and a step
// only grows, what is kept is complete.
//
//   - [Cells] hold any value over time, [Cover] and [Presence] only whether there was
//     anything, [Intervals] stretches of time.
//   - [Sample], [Refs] and [LateRefs] keep a few items, [Set] and [Table] the names and
//     values of many, [Histogram] durations.
//   - [Pairs], [Balance] and [Twins] follow requests from their beginning to their end,
//     [Pauses] the silences between them.
//   - [Late], [Line] and [Spot] are what is kept of one event, to cite it.
//
// The zero value is ready for use. A field Cap (or K, or StepMicros) may be set before the
// first use if the default does not fit; tallies that are merged must have the same.
// encoding/json writes every type completely and reads it again.
//
// Merge takes its argument apart: do not use it again. Nothing here is safe for use by
// several goroutines at once.
package tally
