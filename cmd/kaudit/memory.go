package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Nearly all that a scan allocates are states that live to its end, so a
// collection frees little. With GOGC=30, two dozen collections on the way to
// 40 MB took an eighth of a scan; with GOGC=100, the peak of memory is twice the
// states. So the heap may grow to roomy bytes before the first collection, and
// from then on by at least leastGrowth percent of what was alive. A log of so many
// clients or names that the states are past roomy is given more with each byte of that,
// up to mostGrowth percent: to collect at each megabyte takes time that grows with the
// square of the states.
//
// Note: debug.SetMemoryLimit can't do this. It counts more than the heap, and a
// program just above the limit collects all the time.
const (
	roomy       = 36 << 20
	leastGrowth = 3
	mostGrowth  = 50
)

// paceCollector sets the pace of the garbage collector, unless the user did so by
// GOGC or GOMEMLIMIT.
func paceCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	const smallestHeap = 4 << 20 // at which it is collected first with GOGC=100
	debug.SetGCPercent(100 * roomy / smallestHeap)
	afterCollection(func() { debug.SetGCPercent(growth(liveHeap())) })
}

// growth returns by how many percent the heap may grow until the next collection,
// given how many bytes the last one left alive.
func growth(live int64) int {
	if past := live - roomy; past > 0 {
		return int(min(max(leastGrowth, 100*past/roomy), mostGrowth))
	}
	return int(max(leastGrowth, 100*(roomy-live)/max(live, 1<<20)))
}

// liveHeap returns how many bytes are alive, right after a collection.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// afterCollection calls f after each collection. It makes an object that nothing
// refers to: the collection that finds it dead runs the cleanup, which makes the
// next such object and calls f.
func afterCollection(f func()) {
	type unheld struct{ _ [32]byte } // too large for the allocator to pack it with other tiny objects
	runtime.AddCleanup(new(unheld), func(f func()) { afterCollection(f); f() }, f)
}
