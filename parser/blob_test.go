package parser

import (
	"strings"
	"testing"
)

// TestBlobsOfARecordUnpackToNoMoreThanAllowed: each may be a bomb, and there
// may be many.
func TestBlobsOfARecordUnpackToNoMoreThanAllowed(t *testing.T) {
	var d Decoder
	d.inflated = maxInflated - 150
	blob := gzipped(strings.Repeat("x", 100))
	for i, want := range []int{100, 50, 0} {
		if got := len(d.inflate(blob)); got != want {
			t.Errorf("blob %d unpacks to %d bytes, want %d", i, got, want)
		}
	}
	d.unwrapper.release()
	if d.inflated != 0 {
		t.Errorf("the next record may have %d bytes less", d.inflated)
	}
}
