package tally

import (
	"encoding/hex"

	"github.com/kaudit/kaudit/audit"
)

// A uuid is an audit ID in the usual form: a UUID, unless the client chose something else.
type uuid [16]byte

// splitID returns an audit ID as a UUID if it is one other than zero, else as odd.
func splitID(v audit.View) (id uuid, odd audit.View) {
	if id, ok := parseUUID(v); ok && id != (uuid{}) {
		return id, nil
	}
	return uuid{}, v
}

// dashes are where dashes stand in a UUID.
var dashes = [4]int{8, 13, 18, 23}

// parseUUID reads a UUID as the API server writes it, in lower case.
func parseUUID(v audit.View) (id uuid, ok bool) {
	if len(v) != 36 {
		return id, false
	}
	for _, dash := range dashes {
		if v[dash] != '-' {
			return id, false
		}
	}
	bad := byte(0)
	for n, at := range digitPairs {
		high, low := nibbles[v[at]], nibbles[v[at+1]]
		id[n] = high<<4 | low&0xf
		bad |= high | low
	}
	return id, bad < noNibble
}

// digitPairs are where the two digits of each byte of a UUID stand.
var digitPairs = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// nibbles are the values of the digits that the API server writes, and
// noNibble of all other bytes.
var nibbles = func() (table [256]uint8) {
	for i := range table {
		table[i] = noNibble
	}
	for value, digit := range "0123456789abcdef" {
		table[digit] = uint8(value)
	}
	return table
}()

const noNibble = 0x10

// String returns the audit ID; zeros are the empty one.
func (id uuid) String() string {
	if id == (uuid{}) {
		return ""
	}
	var text [36]byte
	var digits [32]byte
	hex.Encode(digits[:], id[:])
	n, at := 0, 0
	for _, dash := range dashes {
		n += copy(text[at:dash], digits[n:])
		text[dash] = '-'
		at = dash + 1
	}
	copy(text[at:], digits[n:])
	return string(text[:])
}
