#include "textflag.h"

// func unquoteBlocksVBMI2(dst, src []byte) (read, wrote int)
//
// Which bytes of a block are what, a bit each:
//
//	AX	slashes
//	BX	quotes, and then what is not to be read here
//	DX	control characters
//	R10	the first, if the block before ends with the slash that escapes it
//	R11	slashes that escape something
//	R12	what they escape
//	R14	the odd ones
//
// R13 is how many bytes are read.
TEXT ·unquoteBlocksVBMI2(SB), NOSPLIT, $0-64
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), R9
	LEAQ -64(SI)(R9*1), R9      // the last place where a block may begin
	XORL R10, R10
	MOVQ $0xaaaaaaaaaaaaaaaa, R14

	MOVL         $0x5c, AX
	VPBROADCASTB AX, Z5         // slash
	MOVL         $0x22, AX
	VPBROADCASTB AX, Z6         // quote
	MOVL         $0x20, AX
	VPBROADCASTB AX, Z7         // the first that is no control character

block:
	CMPQ     SI, R9
	JHI      done
	VMOVDQU8 (SI), Z0
	VPCMPEQB Z5, Z0, K1
	VPCMPEQB Z6, Z0, K2
	VPCMPUB  $1, Z7, Z0, K3
	KMOVQ    K1, AX
	KMOVQ    K2, BX
	KMOVQ    K3, DX

	// Of slashes in a row every other one escapes, from the first on. To
	// subtract them from the odd bits and the places behind slashes borrows
	// along each row, and so turns its odd bits.
	ANDNQ AX, R10, R13
	LEAQ  (R13)(R13*1), R11
	ORQ   R14, R11
	SUBQ  R13, R11
	XORQ  R14, R11
	MOVQ  AX, R12
	ORQ   R10, R12
	XORQ  R11, R12
	ANDQ  AX, R11

	// A quote must be escaped, and what is escaped be a quote or a slash.
	XORQ  R12, BX
	ANDNQ BX, AX, BX
	MOVQ  R11, R10
	SHRQ  $63, R10
	MOVL  $64, R13
	ORQ   DX, BX
	JNZ   partly

press:
	POPCNTQ       R11, AX
	NOTQ          R11
	KMOVQ         R11, K4
	VPCOMPRESSB.Z Z0, K4, Z1
	VMOVDQU8      Z1, (DI)
	ADDQ          R13, SI
	ADDQ          R13, DI
	SUBQ          AX, DI
	TESTQ         BX, BX
	JZ            block

done:
	VZEROUPPER
	SUBQ R10, SI                // a slash is read with what it escapes
	SUBQ src_base+24(FP), SI
	SUBQ dst_base+0(FP), DI
	MOVQ SI, read+48(FP)
	MOVQ DI, wrote+56(FP)
	RET

	// Read up to what is not to be read here, or to the slash before it.
partly:
	BSFQ BX, CX
	MOVQ CX, R13
	MOVL $1, AX
	SHLQ CX, AX
	MOVQ R12, R10
	SHRQ CX, R10
	ANDL $1, R10
	SUBQ $1, AX
	ANDQ AX, R11
	JMP  press
