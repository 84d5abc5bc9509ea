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
	if id.parse(v) && id.uuid != [16]byte{} { // the zero AuditID is empty
		id.odd = nil
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

// parse reads a UUID as the API server writes it, in lower case.
func (id *AuditID) parse(v audit.View) bool {
	if len(v) != 36 {
		return false
	}
	var digits [32]byte
	n, at := 0, 0
	for _, dash := range dashes {
		if v[dash] != '-' {
			return false
		}
		n += copy(digits[n:], v[at:dash])
		at = dash + 1
	}
	copy(digits[n:], v[at:])
	for _, c := range digits {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(id.uuid[:], digits[:])
	return err == nil
}

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
