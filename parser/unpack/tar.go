package unpack

import (
	"archive/tar"
	"bytes"
	"io"
	"strconv"
)

// tarBlock is the size that everything in a tar is a multiple of.
const tarBlock = 512

// isTar reports whether head is the header of a tar's first member. Source:
// POSIX pax, "ustar Interchange Format"; GNU tar writes blanks for the version.
func isTar(head []byte) bool {
	return len(head) >= tarBlock && string(head[257:262]) == "ustar"
}

// walkTar visits the files of a tar. Where a header is damaged it goes on at
// the next one, as tar(1) does, and returns the damage at the end.
func walkTar(r io.Reader, visit func(Member) error) error {
	var damage error
	for {
		t := tar.NewReader(r)
		err := eachTar(t, visit)
		if err != tar.ErrHeader {
			if err == nil {
				err = damage
			}
			return err
		}
		damage = err
		header, err := nextHeader(r)
		if err == io.EOF {
			return damage
		}
		if err != nil {
			return err
		}
		r = io.MultiReader(bytes.NewReader(header), r)
	}
}

func eachTar(t *tar.Reader, visit func(Member) error) error {
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse {
			continue // folders, links
		}
		if err := visit(Member{Name: h.Name, Size: h.Size, Reader: t}); err != nil {
			return err
		}
	}
}

// nextHeader looks for a block that is a header.
func nextHeader(r io.Reader) ([]byte, error) {
	block := make([]byte, tarBlock)
	for {
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, err
		}
		if isTar(block) && tarSum(block) {
			return block, nil
		}
	}
}

// tarSum reports whether the checksum of a header is right: the sum of its
// bytes, with blanks in place of the sum itself.
func tarSum(block []byte) bool {
	field := bytes.Trim(block[148:156], " \x00")
	want, err := strconv.ParseInt(string(field), 8, 64)
	sum := int64(8 * ' ')
	for i, b := range block {
		if i < 148 || i >= 156 {
			sum += int64(b)
		}
	}
	return err == nil && sum == want
}
