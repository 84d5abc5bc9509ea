package main

import (
	"errors"
	"strconv"
	"strings"
)

// A size is a flag's value that counts bytes, such as 64MiB.
type size int

var sizeUnits = []struct {
	suffix string
	bytes  int
}{
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"B", 1},
	{"", 1},
}

func (s *size) String() string {
	for _, unit := range sizeUnits {
		if n := int(*s); n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.Itoa(n/unit.bytes) + unit.suffix
		}
	}
	return "0"
}

// Type is what the help shows for the flag's value.
func (s *size) Type() string { return "SIZE" }

func (s *size) Set(text string) error {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(text, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || n <= 0 || n > (1<<31-1)/int64(unit.bytes) {
			break
		}
		*s = size(n) * size(unit.bytes)
		return nil
	}
	return errors.New("it must be a size below 2GiB such as 64MiB, 512KiB or 1000")
}
