package parser

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMarksAreThoseOfThePlainWay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 4*markedBlock)
	for range 1000 {
		for i := range b {
			b[i] = byte(r.Uint32())
			if r.IntN(3) > 0 {
				b[i] = `\",:{}[]`[r.IntN(8)]
			}
		}
		got, want := make([]marks, 4), make([]marks, 4)
		mark(b, got)
		markPlainly(b, want)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%q\ngot  %b\nwant %b", b[i*markedBlock:][:markedBlock], got[i], want[i])
			}
		}
	}
}

// TestBlocksEndWhereSkipEnds moves each object over all places of a block.
func TestBlocksEndWhereSkipEnds(t *testing.T) {
	for _, c := range []struct {
		object string
		valid  bool
	}{
		{`{"a":1}`, true},
		{`{"a":{}}`, true},
		{`{"a":[]}`, true},
		{`{"a":[{},[],{"b":[]}],"c":{"d":{}}}`, true},
		{`{"a":"x","b":"","":"y"}`, true},
		{`{"a":[1,-2.5e+7,true,false,null,"x",["y"],{"z":0}]}`, true},
		{`{"a":"b\"c\\","d\\\"":"\\\\"}`, true},
		{`{"a":"\b\f\n\r\t\/\u00e9","é":"ü"}`, true},
		{`{"a":"{[,:]}\\"}`, true},
		{`{"{\"b\":1}":{".":{},"f:c":{}}}`, true},

		{`{"a":[}]`, false},
		{`{"a":{]}`, false},
		{`{"a":[1}}`, false},
		{`{"a"}`, false},
		{`{"a",1}`, false},
		{`{"a":}`, false},
		{`{"a":1,}`, false},
		{`{,"a":1}`, false},
		{`{"a":1"b":2}`, false},
		{`{"a":1 ,"b":2}`, false},
		{`{"a":"b""c":2}`, false},
		{`{"a":"b":2}`, false},
		{`{"a":{}{}}`, false},
		{`{"a":{}"b"}`, false},
		{`{"a":{}1}`, false},
		{`{"a":[]:1}`, false},
		{`{"a":[,]}`, false},
		{`{"a":[1,]}`, false},
		{`{"a":[1:2]}`, false},
		{`{"a":["b":2]}`, false},
		{`{"a":["b"2]}`, false},
		{`{a:1}`, false},
		{`{1:1}`, false},
		{`{"a":01}`, false},
		{`{"a":1x}`, false},
		{`{"a":truefalse}`, false},
		{`{"a":tru}`, false},
		{`{{"a":1}:2}`, false},
		{`{["a"]:2}`, false},
		{`{"a":"\x"}`, false},
		{`{"a":"\u12g4"}`, false},
		{"{\"a\":\"\x01\"}", false},
		{`{"a":\"b"}`, false},
		{`{"a":"b\"}`, false},
	} {
		for before := range 2 * markedBlock {
			object := `{"` + strings.Repeat("k", before) + `":` + c.object + `}`
			b := []byte(object + `,"after":{"x":[1,2]}` + strings.Repeat(" ", 3*markedBlock))
			want := 0
			if c.valid {
				want = len(object)
			}
			if got := skipBlocks(b, 0); got != want {
				t.Fatalf("%s behind %d bytes: ends at %d, want %d", c.object, before, got, want)
			}
			if got := skip(b, 0); (got > 0) != c.valid && !strings.Contains(c.object, " ") {
				t.Fatalf("%s behind %d bytes: skip says %d", c.object, before, got)
			}
		}
	}
}

// FuzzSkipBlocks holds what blocks accept to what skip says.
func FuzzSkipBlocks(f *testing.F) {
	lines, _ := clusterLines(true, 16<<10)
	for _, line := range lines {
		f.Add(line, uint16(0))
	}
	f.Add([]byte(`{"a":[{},[],{"b":[]}],"c":{"d":{}}}`), uint16(3))
	f.Fuzz(func(t *testing.T, object []byte, cut uint16) {
		if len(object) > 0 {
			object = object[int(cut)%len(object):]
		}
		b := append(bytes.TrimLeft(object, " "), bytes.Repeat([]byte(" "), 2*markedBlock)...)
		if got, want := skipBlocks(b, 0), skip(b, 0); got != 0 && got != want {
			t.Errorf("%q ends at %d, want %d", object, got, want)
		}
	})
}

func BenchmarkSkip(b *testing.B) {
	lines, _ := clusterLines(true, 4<<20)
	var bodies [][]byte
	size := 0
	for _, line := range lines {
		if _, body, ok := bytes.Cut(line, []byte(`"responseObject":`)); ok {
			bodies = append(bodies, body)
			size += skip(body, 0)
		}
	}
	for _, way := range []struct {
		name string
		skip func(b []byte, i int) int
	}{{"plain", skip}, {"blocks", skipBlocks}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, body := range bodies {
					if way.skip(body, 0) <= 0 {
						b.Fatalf("not skipped: %s", body)
					}
				}
			}
		})
	}
}
