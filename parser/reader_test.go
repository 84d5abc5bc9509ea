package parser

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWorkersGetEveryChunkOnce reads plain, packed and document parts by
// several workers, side by side, in chunks of several sizes: together they
// have every event, once, at its place.
func TestWorkersGetEveryChunkOnce(t *testing.T) {
	files := map[string]string{}
	var want []string
	for i := range 12 {
		name, text := fmt.Sprintf("%02d.log", i), ""
		if i%3 == 2 {
			text = "[\n"
		}
		for j := range 40 {
			id := fmt.Sprintf("e%d-%d", i, j)
			want = append(want, fmt.Sprintf("%s %s@%d", id, name, len(text)))
			text += event(id)
			if i%3 == 2 {
				text += ","
			}
			text += "\n"
		}
		if i%3 == 1 {
			text = string(gzipped(text))
		}
		files[name] = text
	}
	slices.Sort(want)
	dir := tree(t, files)
	for _, size := range []int{1, 700, 5000, 1 << 20} {
		for _, workers := range []int{1, 2, 5} {
			got := readBy(t, workers, Find([]string{dir}, nil).Logs, Options{ChunkSize: size})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d workers, chunks of %d bytes:\n%s", workers, size, diff)
			}
		}
	}
}

// readBy reads logs by several workers and returns the events with their
// places, in order of their names.
func readBy(t *testing.T, workers int, logs []*Log, opts Options) []string {
	t.Helper()
	r := NewReader(logs, opts)
	defer r.Close()
	var (
		mu      sync.Mutex
		all     []string
		chunks  = map[*Part][]int{}
		running sync.WaitGroup
	)
	for range workers {
		running.Go(func() {
			var c Chunk
			var d Decoder
			for {
				err := r.Next(context.Background(), &c)
				if err == io.EOF {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				var found []string
				for d.Reset(&c); d.Next(); {
					e := d.Event()
					found = append(found, fmt.Sprintf("%s %s@%d", e.AuditID, filepath.Base(e.Source), e.Offset))
				}
				mu.Lock()
				all = append(all, found...)
				chunks[c.Part] = append(chunks[c.Part], c.Index)
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for part, indexes := range chunks {
		slices.Sort(indexes)
		for i, index := range indexes {
			if i != index {
				t.Errorf("%s: chunks %v", part.Name, indexes)
				break
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestReadingCostsNoAllocationAnEvent counts what a whole run allocates.
func TestReadingCostsNoAllocationAnEvent(t *testing.T) {
	const events = 20_000
	var text []byte
	for range events {
		text = append(text, event("a")+"\n"...)
	}
	dir := tree(t, map[string]string{"audit.log": string(text)})
	logs := Find([]string{dir}, nil).Logs
	allocs := testing.AllocsPerRun(3, func() {
		r := NewReader(logs, Options{})
		defer r.Close()
		var c Chunk
		var d Decoder
		for r.Next(context.Background(), &c) == nil {
			for d.Reset(&c); d.Next(); {
			}
		}
	})
	if allocs > events/100 {
		t.Errorf("%v allocations for %d events", allocs, events)
	}
}
