package unpack

import (
	"io"
	"testing"
)

// TestWhatHasNoEndIsNotReadToIt: a file of some hundred bytes may unpack to
// more than any disk holds.
func TestWhatHasNoEndIsNotReadToIt(t *testing.T) {
	x := new(Expansion)
	x.in.Store(1000)
	n, err := io.Copy(io.Discard, x.bound(endless{}))
	if err == nil || n < freeExpansion || n > freeExpansion+1<<20 {
		t.Errorf("%d bytes were read, and then: %v", n, err)
	}
	x = new(Expansion)
	dense := io.LimitReader(x.bound(x.Count(endless{})), freeExpansion+1<<20)
	if _, err := io.Copy(io.Discard, dense); err != nil {
		t.Errorf("what unpacks to its own size: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
