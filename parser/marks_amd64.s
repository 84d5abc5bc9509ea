#include "textflag.h"

// half puts the marks of 32 bytes at AX+off to where BX+off/8 points.
//
//	Y0	the bytes, and then those of them shifted
//	Y1	the same with the bit set that tells { from [ and } from ]
#define half(off, to) \
	VMOVDQU   off(AX), Y0      \
	VPOR      Y15, Y0, Y1      \
	VPCMPEQB  Y8, Y0, Y2       \
	VPCMPEQB  Y9, Y0, Y3       \
	VPMAXUB   Y10, Y0, Y4      \
	VPCMPEQB  Y10, Y4, Y4      \
	VPCMPEQB  Y11, Y0, Y5      \
	VPCMPEQB  Y12, Y0, Y6      \
	VPCMPEQB  Y13, Y1, Y7      \
	VPCMPEQB  Y14, Y1, Y1      \
	VPSLLW    $2, Y0, Y0       \
	VPMOVMSKB Y2, DX           \
	MOVL      DX, (to+0)(BX)   \
	VPMOVMSKB Y3, SI           \
	MOVL      SI, (to+8)(BX)   \
	VPMOVMSKB Y4, DX           \
	MOVL      DX, (to+16)(BX)  \
	VPMOVMSKB Y5, SI           \
	MOVL      SI, (to+24)(BX)  \
	VPMOVMSKB Y6, DX           \
	MOVL      DX, (to+32)(BX)  \
	VPMOVMSKB Y7, SI           \
	MOVL      SI, (to+40)(BX)  \
	VPMOVMSKB Y1, DX           \
	MOVL      DX, (to+48)(BX)  \
	VPMOVMSKB Y0, SI           \
	MOVL      SI, (to+56)(BX)

#define every(byte, reg, xreg) \
	MOVL         byte, DX      \
	VMOVD        DX, xreg      \
	VPBROADCASTB xreg, reg

// func markAVX2(b *byte, n int, to *marks)
TEXT ·markAVX2(SB), NOSPLIT, $0-24
	MOVQ b+0(FP), AX
	MOVQ n+8(FP), CX
	MOVQ to+16(FP), BX
	every($0x5c, Y8, X8)    // slash
	every($0x22, Y9, X9)    // quote
	every($0x1f, Y10, X10)  // the last control character
	every($0x2c, Y11, X11)  // comma
	every($0x3a, Y12, X12)  // colon
	every($0x7b, Y13, X13)  // {
	every($0x7d, Y14, X14)  // }
	every($0x20, Y15, X15)

block:
	half(0, 0)
	half(32, 4)
	ADDQ $64, AX
	ADDQ $64, BX
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
