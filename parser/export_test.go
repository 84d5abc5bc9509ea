package parser

import "testing"

// Wrappers returns, for each carrier that can hold any event without a loss, what
// writes lines as it has them.
func Wrappers(t *testing.T) map[string]func(lines [][]byte) []byte {
	wrappers := map[string]func(lines [][]byte) []byte{}
	for name, sections := range carrierCases(t) {
		if sections["each"] != "" && sections["loses"] == "" {
			wrappers[name] = func(lines [][]byte) []byte { return wrapped(sections, lines) }
		}
	}
	return wrappers
}
