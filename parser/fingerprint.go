package parser

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
)

// A fingerprint tells contents apart: by how they begin and, unpacked, how
// long they are.
type fingerprint struct {
	size string
	head [sha256.Size]byte
}

// fingerprint returns the fingerprint of a part. It reports false if the part
// begins with nothing but NULs, as copytruncate leaves them in any log.
func (p *Part) fingerprint(head []byte) (fingerprint, bool) {
	if len(bytes.TrimLeft(head, "\x00")) == 0 {
		return fingerprint{}, false
	}
	content := fingerprint{size: fmt.Sprint(uint32(p.size)), head: sha256.Sum256(head)}
	switch {
	case p.container == "gzip":
		content.size = p.gzipSize()
	case p.packed:
		content.size = p.container + fmt.Sprint(p.size)
	}
	return content, true
}

// gzipSize returns the length of what the last gzip member holds, with which it ends, modulo
// 2^32; "" if it can't be read.
func (p *Part) gzipSize() string {
	file, err := os.Open(p.Name)
	if err != nil {
		return ""
	}
	defer file.Close()
	var tail [4]byte
	if _, err := file.ReadAt(tail[:], p.size-4); err != nil {
		return ""
	}
	return fmt.Sprint(binary.LittleEndian.Uint32(tail[:]))
}
