package main

import (
	"runtime"
	"testing"
)

func TestMoreMemoryIsAllowedOnlyWhereStatesNeedIt(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ live, want int64 }{
		{0, 48 * mb}, {30 * mb, 48 * mb}, {35 * mb, 52 * mb}, {300 * mb, 370 * mb},
	} {
		if got := memoryLimit(c.live); got != c.want {
			t.Errorf("with %d MB alive the limit is %d MB, want %d", c.live/mb, got/mb, c.want/mb)
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
