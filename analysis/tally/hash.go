package tally

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Any odd numbers without a pattern would do, but they must never change: saved states
// are merged by these hashes.
const (
	hashSeed = 0x9e3779b97f4a7c15
	hashMul  = 0xd1342543de82ef95
)

// Hash returns a hash of s that is the same in every worker, process and version. It does
// not resist those who choose names to collide: they could only choose which names are
// kept.
func Hash(s string) uint64 {
	return HashBytes(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// HashBytes returns Hash(string(b)).
func HashBytes(b []byte) uint64 {
	h := hashSeed ^ uint64(len(b))
	if len(b) >= 8 {
		last := binary.LittleEndian.Uint64(b[len(b)-8:])
		for ; len(b) >= 8; b = b[8:] {
			h = Mix(h, binary.LittleEndian.Uint64(b))
		}
		tail := last >> 8 >> (56 - 8*len(b)) // the bytes that are left
		return Mix(Mix(h, tail), hashSeed)
	}
	var tail uint64
	for i, c := range b {
		tail |= uint64(c) << (8 * i)
	}
	return Mix(Mix(h, tail), hashSeed)
}

// Mix folds two hashes into one; the order matters.
func Mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^hashSeed, b^hashMul)
	return hi ^ lo ^ bits.RotateLeft64(a, 23) // a alone still counts if the product is 0
}

// view returns b as a string that shares its bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
