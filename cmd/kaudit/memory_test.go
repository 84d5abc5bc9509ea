package main

import (
	"runtime"
	"testing"
)

func TestTheHeapGrowsToWhatIsRoomy(t *testing.T) {
	for _, c := range []struct {
		live int64 // MB
		want int   // percent
	}{{0, 3600}, {9, 300}, {24, 50}, {30, 20}, {36, 3}, {45, 25}, {300, 50}} {
		if got := growth(c.live << 20); got != c.want {
			t.Errorf("with %d MB alive the heap may grow by %d %%, want %d", c.live, got, c.want)
		}
	}
}

func TestWhatFollowsACollectionFollowsEach(t *testing.T) {
	called := make(chan struct{}, 1)
	afterCollection(func() {
		select {
		case called <- struct{}{}:
		default: // the test is over, or behind
		}
	})
	for range 3 {
		runtime.GC()
		<-called // or the test hangs
	}
}
