// Package panics finds requests during which a handler of the API server
// panicked, and tells them from connections that were cut on purpose.
//
// A state holds the panics of one value (its numbers aside) on one resource:
// how many, when, of whom, and how long after the receipt.
package panics

import (
	"bytes"
	_ "embed"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:  "panic",
		Doc:   doc,
		Needs: analysis.Needs{Level: audit.LevelMetadata},
		Wants: []audit.Class{audit.ClassPanic}, // and nothing else: a 500 is no panic
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// The kinds of states and of findings: details.kind.
var (
	kindPanic = audit.Intern("panic")
	kindAbort = audit.Intern("abort")
)

// keys tells panics apart by what was asked for and what the handler panicked with.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	key := analysis.Key{Kind: kindPanic, Group: e.Group, Resource: e.Resource, Subresource: e.Subresource}
	value := valueOf(e)
	if isAbort(value) {
		key.Kind = kindAbort
	} else {
		key.Name = string(withoutNumbers(value))
	}
	return append(keys, key)
}

// maxValue bounds what is kept of a panic's value.
const maxValue = 200

// valueOf returns what the handler panicked with: what the API server wrote
// of it, in one line.
func valueOf(e *audit.Event) []byte {
	value := bytes.TrimPrefix(e.Message, []byte("APIServer panic'd: "))
	value, _, _ = bytes.Cut(value, []byte("\n"))
	return value[:min(len(value), maxValue)]
}

// aborts are the values of panics that are there to cut a connection:
// http.ErrAbortHandler, which net/http knows and does not log, and what the
// timeout filter of API servers before 1.18 had in its stead (apiserver
// pkg/server/filters/timeout.go).
var aborts = [][]byte{
	[]byte("net/http: abort Handler"),
	[]byte("killing connection/stream because serving request timed out and response had been started"),
}

func isAbort(value []byte) bool {
	for _, abort := range aborts {
		if bytes.Equal(value, abort) {
			return true
		}
	}
	return false
}

// withoutNumbers writes # for each number and address, so that one bug has one
// value: "index out of range [5] with length 3".
func withoutNumbers(value []byte) []byte {
	plain := make([]byte, 0, len(value))
	for i := 0; i < len(value); {
		n := digits(value[i:])
		if n == 0 {
			plain = append(plain, value[i])
			i++
			continue
		}
		plain = append(plain, '#')
		i += n
	}
	return plain
}

// digits returns how many bytes of a number stand at the beginning of s.
func digits(s []byte) (n int) {
	hex := bytes.HasPrefix(s, []byte("0x"))
	if hex {
		n = 2
	}
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || hex && s[n] >= 'a' && s[n] <= 'f') {
		n++
	}
	return n
}
