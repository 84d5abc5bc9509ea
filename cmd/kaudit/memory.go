package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// The collector is to run when memory is short, not each time that states have
// grown by a part: nearly all that is allocated is states that stay, so that a
// collection finds little, and two dozen of them on the way to 40 MB took an
// eighth of a scan. It runs when the program has come near roomy, and from
// then on when it holds a fifth more than what was found alive, since twice
// the states would be the peak of memory.
const (
	roomy   = 48 << 20
	breadth = 10 << 20 // for what is no heap, and for chunks being read
)

// paceCollector sets the limits of memory, unless the user did by GOGC or
// GOMEMLIMIT.
func paceCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(roomy)
	afterCollection(func() { debug.SetMemoryLimit(memoryLimit(liveHeap())) })
}

// memoryLimit returns how much memory to use before the next collection when
// the last one left so many bytes alive.
func memoryLimit(live int64) int64 { return max(roomy, live+live/5+breadth) }

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
	runtime.AddCleanup(new(unheld), func(f func()) { f(); afterCollection(f) }, f)
}
