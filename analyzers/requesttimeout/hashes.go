package requesttimeout

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
)

// A hashes is a list that grows by blocks, so that growing copies nothing and
// leaves no more than a block unused. What is taken out of it is taken out where
// it stands: there are hundreds of thousands, and a copy would be the peak of a
// scan's memory.
type hashes struct {
	blocks [][]packed
	n      int
}

// A packed hash is one without what hashBits leaves out, in 6 bytes.
type packed [3]uint16

// hashBits are the bits of a hash that are used.
const hashBits = ^uint64(1<<16 - 1)

func pack(hash uint64) packed {
	return packed{uint16(hash >> 48), uint16(hash >> 32), uint16(hash >> 16)}
}

func (p packed) hash() uint64 { return uint64(p[0])<<48 | uint64(p[1])<<32 | uint64(p[2])<<16 }

func (p packed) compare(o packed) int { return cmp.Compare(p.hash(), o.hash()) }

const blockSize = 8192

func (h *hashes) add(hash uint64) {
	last := len(h.blocks) - 1
	if last < 0 || len(h.blocks[last]) == cap(h.blocks[last]) {
		h.blocks = append(h.blocks, make([]packed, 0, blockSize))
		last++
	}
	h.blocks[last] = append(h.blocks[last], pack(hash))
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
				if !yield(hash.hash()) {
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

// drop leaves out what leave says.
func (h *hashes) drop(leave func(uint64) bool) {
	for i := range h.blocks {
		h.blocks[i] = slices.DeleteFunc(h.blocks[i], func(p packed) bool { return leave(p.hash()) })
	}
	h.pack()
}

// unite leaves out what is there twice: blocks are sorted, and then gone
// through side by side.
func (h *hashes) unite() {
	var next front
	for i := range h.blocks {
		if slices.SortFunc(h.blocks[i], packed.compare); len(h.blocks[i]) > 0 {
			next = append(next, &cursor{rest: h.blocks[i], block: i})
			h.blocks[i] = h.blocks[i][:0]
		}
	}
	heap.Init(&next)
	var last packed
	for first := true; len(next) > 0; first = false {
		c := next[0]
		if hash := c.rest[0]; first || hash != last {
			h.blocks[c.block] = append(h.blocks[c.block], hash) // where it stood, or before
			last = hash
		}
		if c.rest = c.rest[1:]; len(c.rest) == 0 {
			heap.Pop(&next)
		} else {
			heap.Fix(&next, 0)
		}
	}
	h.pack()
}

// pack fills the blocks from the first on, and lets go of those left empty.
func (h *hashes) pack() {
	old := h.blocks
	h.blocks, h.n = old[:0:0], 0
	full := 0 // so many blocks of old have what was before
	for _, block := range old {
		for _, hash := range block {
			if len(h.blocks) == 0 || len(h.blocks[full]) == cap(h.blocks[full]) {
				full = len(h.blocks)
				h.blocks = append(h.blocks, old[full][:0])
			}
			h.blocks[full] = append(h.blocks[full], hash)
			h.n++
		}
	}
}

// A cursor stands before what was not yet seen of a block.
type cursor struct {
	rest  []packed
	block int
}

// A front is the cursors of all blocks, the one with the smallest hash first.
type front []*cursor

func (f front) Len() int           { return len(f) }
func (f front) Less(i, j int) bool { return f[i].rest[0].compare(f[j].rest[0]) < 0 }
func (f front) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *front) Push(c any)        { *f = append(*f, c.(*cursor)) }

func (f *front) Pop() any {
	last := len(*f) - 1
	c := (*f)[last]
	*f = (*f)[:last]
	return c
}

func listOf(all []uint64) (h hashes) {
	for _, hash := range all {
		h.add(hash)
	}
	return h
}
