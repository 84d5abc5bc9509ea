package requesttimeout

import (
	"iter"
	"slices"
)

// A hashes is a list that grows by blocks, so that growing copies nothing and
// leaves no more than a block unused.
type hashes struct {
	blocks [][]uint64
	n      int
}

const blockSize = 8192

func (h *hashes) add(hash uint64) {
	last := len(h.blocks) - 1
	if last < 0 || len(h.blocks[last]) == cap(h.blocks[last]) {
		h.blocks = append(h.blocks, make([]uint64, 0, blockSize))
		last++
	}
	h.blocks[last] = append(h.blocks[last], hash)
	h.n++
}

// merge takes over what o holds.
func (h *hashes) merge(o *hashes) {
	h.blocks = append(h.blocks, o.blocks...)
	h.n += o.n
}

func (h *hashes) all() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, block := range h.blocks {
			for _, hash := range block {
				if !yield(hash) {
					return
				}
			}
		}
	}
}

// sorted returns the hashes in order, each once.
func (h *hashes) sorted() []uint64 {
	all := slices.AppendSeq(make([]uint64, 0, h.n), h.all())
	slices.Sort(all)
	return slices.Compact(all)
}

// drop leaves out what is there twice, and what leave says.
func (h *hashes) drop(leave func(uint64) bool) {
	*h = listOf(slices.DeleteFunc(h.sorted(), leave))
}

func listOf(all []uint64) hashes {
	return hashes{blocks: [][]uint64{slices.Clip(all)}, n: len(all)}
}
