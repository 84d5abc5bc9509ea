package requesttimeout

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestHashesAreASet compares them with a map, with most hashes there twice and
// in lists that are merged, through halving.
func TestHashesAreASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var h hashes
	want := map[uint64]bool{}
	for halve := 1; halve < 5; halve++ {
		var other hashes
		for range 5 * blockSize / 2 {
			hash := rng.Uint64() >> (halve - 1) & hashBits
			h.add(hash)
			if want[hash] = true; hash>>16%4 > 0 {
				other.add(hash)
			}
		}
		h.merge(&other)
		h.unite()
		check(t, &h, want)
		few := func(hash uint64) bool { return bits.LeadingZeros64(hash) < halve }
		h.drop(few)
		maps.DeleteFunc(want, func(hash uint64, _ bool) bool { return few(hash) })
		check(t, &h, want)
		if most := h.n/blockSize + 2; len(h.blocks) > most {
			t.Errorf("%d hashes are in %d blocks, want %d at most", h.n, len(h.blocks), most)
		}
	}
}

func check(t *testing.T, h *hashes, want map[uint64]bool) {
	t.Helper()
	got := slices.Sorted(h.all())
	if !slices.Equal(got, slices.Sorted(maps.Keys(want))) || h.n != len(want) {
		t.Fatalf("%d hashes, counted as %d; want %d, or they differ", len(got), h.n, len(want))
	}
}

func TestUnitingTakesNoRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var h hashes
	for range 20 * blockSize {
		h.add(rng.Uint64() >> 1)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h.unite()
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 6*blockSize {
		t.Errorf("uniting %d hashes takes %d bytes, want less than a block", h.n, bytes)
	}
}
