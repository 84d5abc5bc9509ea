package tally

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/kaudit/kaudit/audit"
)

// An AuditID is an audit ID to be kept: 24 bytes, without an allocation where
// it is a UUID, as it is unless the client chose another.
type AuditID struct {
	uuid [16]byte
	odd  *string // of one that is no UUID in its usual form
}

// Set makes id the audit ID that v is.
func (id *AuditID) Set(v audit.View) {
	if uuid, ok := parseUUID(v); ok && uuid != [16]byte{} { // the zero AuditID is empty
		id.uuid, id.odd = uuid, nil
		return
	}
	if id.odd != nil && *id.odd == string(v) {
		return
	}
	if len(v) == 0 {
		*id = AuditID{}
		return
	}
	odd := v.String()
	id.uuid, id.odd = [16]byte{}, &odd
}

// dashes are where dashes stand in a UUID.
var dashes = [4]int{8, 13, 18, 23}

// parseUUID reads a UUID as the API server writes it, in lower case.
func parseUUID(v audit.View) (uuid [16]byte, ok bool) {
	if len(v) != 36 {
		return uuid, false
	}
	for _, dash := range dashes {
		if v[dash] != '-' {
			return uuid, false
		}
	}
	bad := byte(0)
	for n, at := range digitPairs {
		high, low := nibbles[v[at]], nibbles[v[at+1]]
		uuid[n] = high<<4 | low&0xf
		bad |= high | low
	}
	return uuid, bad < noNibble
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

// String returns the audit ID.
func (id AuditID) String() string {
	if id.odd != nil {
		return *id.odd
	}
	if id.uuid == [16]byte{} {
		return ""
	}
	var text [36]byte
	var digits [32]byte
	hex.Encode(digits[:], id.uuid[:])
	n, at := 0, 0
	for _, dash := range dashes {
		n += copy(text[at:dash], digits[n:])
		text[dash] = '-'
		at = dash + 1
	}
	copy(text[at:], digits[n:])
	return string(text[:])
}

// MarshalJSON writes the audit ID as a string.
func (id AuditID) MarshalJSON() ([]byte, error) { return json.Marshal(id.String()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (id *AuditID) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("read an audit ID: %w", err)
	}
	*id = AuditID{}
	id.Set(audit.View(text))
	return nil
}
