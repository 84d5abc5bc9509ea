package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestRenderStopsWhileItWaits: a pipe that nothing comes from is read until the first
// Ctrl-C.
func TestRenderStopsWhileItWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close()
	waiting := readerFunc(func(p []byte) (int, error) {
		cancel()
		return in.Read(p)
	})
	var stderr strings.Builder
	if status := run(ctx, "kaudit", []string{"render", "-"}, waiting, io.Discard, &stderr); status != exitInterrupted {
		t.Errorf("the exit status is %d, want %d", status, exitInterrupted)
	}
	if got := stderr.String(); !strings.Contains(got, "interrupted") {
		t.Errorf("it says %q", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
