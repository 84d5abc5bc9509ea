package parser

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor has AVX2, as Intel's have since Haswell
// and AMD's since Zen.
var hasAVX2 = cpu.X86.HasAVX2

// mark fills to with the marks of as many blocks at the beginning of b, which
// has them.
func mark(b []byte, to []marks) {
	if !hasAVX2 {
		markPlainly(b, to)
		return
	}
	_ = b[len(to)*markedBlock-1]
	markAVX2(&b[0], len(to), &to[0])
}

//go:noescape
func markAVX2(b *byte, n int, to *marks)
