//go:build !amd64

package parser

const hasAVX2 = false

func mark(b []byte, to []marks) { markPlainly(b, to) }
