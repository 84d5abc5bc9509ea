package main

import (
	"bytes"
	"testing"
	"unicode"
)

func TestPrintedValuesHoldNoCharacterThatATerminalObeys(t *testing.T) {
	value := map[string]string{"user": "\x1b]8;;http://x\x07 \u009b31m \x7f \u202e \u200b\r\n\tend"}
	for _, format := range []string{"json", "yaml"} {
		var out bytes.Buffer
		if err := printValue(&out, format, value); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		for _, r := range out.String() {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s holds %U: %q", format, r, out.String())
			}
		}
	}
}
