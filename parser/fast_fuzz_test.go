package parser

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/kaudit/kaudit/audit"
)

// alike is sameEvent for hot loops. It changes its arguments: what is empty
// becomes nil.
func alike(a, b *audit.Event) bool {
	for _, e := range []*audit.Event{a, b} {
		for _, v := range []*audit.View{&e.Name, &e.ObjectRV, &e.Message, &e.AuditID, &e.URI, &e.Raw} {
			trim(v)
		}
		for i := range e.Annotations {
			trim(&e.Annotations[i].Value)
		}
		trim(&e.Annotations)
		trim(&e.Groups)
		trim(&e.SourceIPs)
	}
	return reflect.DeepEqual(a, b)
}

func trim[S ~[]E, E any](s *S) {
	if len(*s) == 0 {
		*s = nil
	}
}

// FuzzDecode holds the two decoders equal on any bytes. One fast decoder reads
// all of them, as in a run, so that what it remembers of one input meets the
// next; and each input twice, so that what it remembers of it is used.
func FuzzDecode(f *testing.F) {
	for _, trap := range traps {
		f.Add([]byte(trap.line))
	}
	for _, line := range sampled(f, 400) {
		f.Add(line)
	}
	var decoder fast
	var syms audit.Syms
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 && len(line) > 1<<16 {
			return // a value over many lines is a carrier's work, and slow
		}
		first, difference := compareDecoders(&decoder, line, &syms)
		if difference != "" {
			t.Fatalf("%s\n%q", difference, line)
		}
		second, difference := compareDecoders(&decoder, line, &syms)
		if second != first || difference != "" {
			t.Fatalf("%s, then %s %s\n%q", first, second, difference, line)
		}
	})
}
