#include "textflag.h"

// Both functions look at 64 bytes at a time. Which of them are what, a bit
// each:
//
//	AX	slashes
//	BX	quotes, and then what is not to be read here
//	DX	control characters
//	R10	the first, if the block before ends with the slash that escapes it
//	R11	slashes that escape something
//	R12	what they escape
//	R14	the odd ones
//
// R13 is how many bytes are read, SI and DI are where, R9 is the last place
// where a block may begin.

#define BEGIN \
	MOVQ dst_base+0(FP), DI      \
	MOVQ src_base+24(FP), SI     \
	MOVQ src_len+32(FP), R9      \
	LEAQ -64(SI)(R9*1), R9       \
	XORL R10, R10                \
	MOVQ $0xaaaaaaaaaaaaaaaa, R14

// Of slashes in a row every other one escapes, from the first on. To subtract
// them from the odd bits and the places behind slashes borrows along each row,
// and so turns its odd bits. A quote must be escaped, and what is escaped be a
// quote or a slash. The flag says whether there is something else.
#define ESCAPES \
	ANDNQ AX, R10, R13     \
	LEAQ  (R13)(R13*1), R11 \
	ORQ   R14, R11         \
	SUBQ  R13, R11         \
	XORQ  R14, R11         \
	MOVQ  AX, R12          \
	ORQ   R10, R12         \
	XORQ  R11, R12         \
	ANDQ  AX, R11          \
	XORQ  R12, BX          \
	ANDNQ BX, AX, BX       \
	MOVQ  R11, R10         \
	SHRQ  $63, R10         \
	MOVL  $64, R13         \
	ORQ   DX, BX

// A block is read up to what is not to be read here, or to the slash before it.
#define PARTLY \
	BSFQ BX, CX  \
	MOVQ CX, R13 \
	MOVL $1, AX  \
	SHLQ CX, AX  \
	MOVQ R12, R10 \
	SHRQ CX, R10 \
	ANDL $1, R10 \
	SUBQ $1, AX  \
	ANDQ AX, R11

// A slash is read with what it escapes, so one at the end is not read yet.
#define END(read, wrote) \
	VZEROUPPER               \
	SUBQ R10, SI             \
	SUBQ src_base+24(FP), SI \
	SUBQ dst_base+0(FP), DI  \
	MOVQ SI, read            \
	MOVQ DI, wrote           \
	RET

// func unquoteBlocksVBMI2(dst, src []byte) (read, wrote int)
TEXT ·unquoteBlocksVBMI2(SB), NOSPLIT, $0-64
	BEGIN
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
	ESCAPES
	JNZ      partly

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
	END(read+48(FP), wrote+56(FP))

partly:
	PARTLY
	JMP press

// Eight bytes are pressed by the order that the table at R8 has for the slashes
// among them, which are the lowest bits of R11.
#define PRESS(at) \
	MOVBLZX R11, AX           \
	SHRQ    $8, R11           \
	VMOVQ   at(SI), X0        \
	VPSHUFB (R8)(AX*8), X0, X0 \
	VMOVQ   X0, at(DI)        \
	POPCNTL AX, AX            \
	SUBQ    AX, DI

// Masks of the bytes of a block like those in mask, of which Y0 and Y1 are the
// halves.
#define FIND(mask, low, high) \
	VPCMPEQB  mask, Y0, Y2 \
	VPCMPEQB  mask, Y1, Y3 \
	VPMOVMSKB Y2, low      \
	VPMOVMSKB Y3, high     \
	SHLQ      $32, high    \
	ORQ       high, low

// func unquoteBlocksAVX2(dst, src []byte, orders *[257]uint64) (read, wrote int)
TEXT ·unquoteBlocksAVX2(SB), NOSPLIT, $0-72
	BEGIN
	MOVQ         orders+48(FP), R8
	MOVL         $0x5c, AX
	VMOVD        AX, X5
	VPBROADCASTB X5, Y5         // slash
	MOVL         $0x22, AX
	VMOVD        AX, X6
	VPBROADCASTB X6, Y6         // quote
	MOVL         $0x1f, AX
	VMOVD        AX, X7
	VPBROADCASTB X7, Y7         // the last control character

block:
	CMPQ      SI, R9
	JHI       done
	VMOVDQU   (SI), Y0
	VMOVDQU   32(SI), Y1
	FIND(Y5, AX, R13)
	FIND(Y6, BX, R13)
	VPMINUB   Y7, Y0, Y2
	VPMINUB   Y7, Y1, Y3
	VPCMPEQB  Y2, Y0, Y2
	VPCMPEQB  Y3, Y1, Y3
	VPMOVMSKB Y2, DX
	VPMOVMSKB Y3, R13
	SHLQ      $32, R13
	ORQ       R13, DX
	ESCAPES
	JNZ       partly

press:
	PRESS(0)
	PRESS(8)
	PRESS(16)
	PRESS(24)
	PRESS(32)
	PRESS(40)
	PRESS(48)
	PRESS(56)
	ADDQ  R13, SI
	ADDQ  R13, DI
	TESTQ BX, BX
	JZ    block

done:
	END(read+56(FP), wrote+64(FP))

partly:
	PARTLY
	JMP press
