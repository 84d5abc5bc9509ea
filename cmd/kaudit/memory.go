package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// Nearly all that is allocated is states that stay, so a collection finds
// little. Two dozen of them on the way to 40 MB, as GOGC=30 makes, took an
// eighth of a scan; twice the states would be the peak of memory, as GOGC=100
// makes it. So the heap may grow to roomy before it is collected, and from then
// on by leastGrowth percent of what was found alive.
//
// Note: a limit (debug.SetMemoryLimit) is no way to say that. It counts what is
// no heap, too, and a program that is just above it collects all the time.
const (
	roomy       = 36 << 20
	leastGrowth = 3
)

// paceCollector paces the collector, unless the user did by GOGC or GOMEMLIMIT.
func paceCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	const smallestHeap = 4 << 20 // at which it is collected first with GOGC=100
	debug.SetGCPercent(100 * roomy / smallestHeap)
	afterCollection(func() { debug.SetGCPercent(growth(liveHeap())) })
}

// growth returns by how many percent the heap may grow until the next
// collection when the last one left so many bytes alive.
func growth(live int64) int {
	return int(max(leastGrowth, 100*(roomy-live)/max(live, 1<<20)))
}

// liveHeap returns what is alive, in bytes, if a collection has just ended.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// afterCollection calls f after each collection, by an object that nothing
// holds: each collection finds it dead, which calls f and makes the next one.
func afterCollection(f func()) {
	type unheld struct{ _ [32]byte } // large enough not to share its memory with others
	runtime.AddCleanup(new(unheld), func(f func()) { afterCollection(f); f() }, f)
}
