package parser

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestWhatIsCutOffIsToldAndInventsNothing cuts each record of each carrier at
// every byte: what is read then is what is read of the whole, and what is
// missing was told. Where a carrier cuts events itself, their heads are events;
// what stands behind a torn beginning is one, without a label.
func TestWhatIsCutOffIsToldAndInventsNothing(t *testing.T) {
	var d Decoder
	for name, sections := range carrierCases(t) {
		for line := range strings.Lines(filled(sections["input"], event)) {
			all, _ := rawEvents(&d, line)
			for n := 1; n < len(line)-1; n++ {
				got, refused := rawEvents(&d, line[:n])
				for _, raw := range got {
					mended := strings.Contains(raw, `"audit.k8s.io/truncated":"true"`)
					runOn := strings.HasSuffix(line[:n], strings.TrimSpace(raw))
					if !slices.Contains(all, raw) && !mended && !runOn {
						t.Fatalf("%s: of %s\nthere is %s", name, line[:n], raw)
					}
				}
				if len(got) < len(all) && refused == 0 && n > len(line)/2 && !isStream(line[:n]) {
					t.Fatalf("%s: of %s\nno refusal is told", name, line[:n])
				}
			}
		}
	}
}

// isStream reports whether a text is JSON values, each of them whole.
func isStream(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err == io.EOF
		}
	}
}

// rawEvents returns the events in a text, with their labels, and how many
// records were refused.
func rawEvents(d *Decoder, line string) (events []string, refused int64) {
	c := Chunk{Log: &Log{}, Part: &Part{}, Data: []byte(line), maxLine: 1 << 20, joins: true}
	new(csvHeads).note(&c)
	for d.Reset(&c); d.Next(); {
		events = append(events, fmt.Sprintf("%s %s", d.Event().Log, d.Event().Raw))
	}
	for _, n := range d.Stats().Skipped {
		refused += n
	}
	return events, refused
}
