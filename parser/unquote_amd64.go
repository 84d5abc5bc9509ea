package parser

import "golang.org/x/sys/cpu"

const (
	pressByTable presser = "avx2"  // eight bytes at once
	pressByMask  presser = "vbmi2" // 64
)

// pressers are those that the processor has, the best one last: pressByTable
// with VPSHUFB, as Intel's have it since Haswell and AMD's since Excavator, and
// pressByMask with VPCOMPRESSB, as Intel's have it since Ice Lake and AMD's
// since Zen 4. GODEBUG=cpu.avx512vbmi2=off does without the last, and
// GODEBUG=cpu.bmi1=off without both.
//
// Note: PEXT would press eight bytes in as many instructions as VPSHUFB, but
// AMD's before Zen 3 take a step for each bit of its mask.
var pressers = func() []presser {
	all := []presser{noPresser}
	if x := &cpu.X86; x.HasBMI1 && x.HasPOPCNT {
		if x.HasAVX2 {
			all = append(all, pressByTable)
		}
		if x.HasAVX512BW && x.HasAVX512VBMI2 {
			all = append(all, pressByMask)
		}
	}
	return all
}()

// press does what unquoted does for the beginning of src, as far as it holds no
// escapes but \" and \\ and fills blocks of 64 bytes, and says how much it has
// read and written. It has no branch for each backslash. dst must be as long as
// src.
func (p presser) press(dst, src []byte) (read, wrote int) {
	switch {
	case len(src) < 64 || p == noPresser:
		return 0, 0
	case p == pressByMask:
		return unquoteBlocksVBMI2(dst, src)
	}
	return unquoteBlocksAVX2(dst, src, &orders)
}

//go:noescape
func unquoteBlocksVBMI2(dst, src []byte) (read, wrote int)

//go:noescape
func unquoteBlocksAVX2(dst, src []byte, orders *[257]uint64) (read, wrote int)

// orders says of eight bytes, of which a set bit leaves out one, which come
// where: a byte each, the first one lowest. What is read at once is sixteen
// bytes, so there is one more.
var orders = func() (all [257]uint64) {
	for left := range 256 {
		at := 0
		for from := range 8 {
			if left>>from&1 == 0 {
				all[left] |= uint64(from) << (8 * at)
				at++
			}
		}
	}
	return all
}()
