package parser

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// BenchmarkCarriers reads the same events through every carrier, in memory.
// Against plain, its ns/event are what unwrapping costs.
func BenchmarkCarriers(b *testing.B) {
	lines, _ := clusterLines(false, 4<<20)
	benchmarkCarrier(b, "plain", wrapped(map[string]string{"each": "@event@\n"}, lines), len(lines))
	for name, sections := range carrierCases(b) {
		if sections["each"] != "" {
			benchmarkCarrier(b, name, wrapped(sections, lines), len(lines))
		}
	}
}

// wrapped writes lines as a carrier has them: the sections before, each and
// after of its case.
func wrapped(sections map[string]string, lines [][]byte) []byte {
	var out bytes.Buffer
	out.WriteString(sections["before"])
	for _, line := range lines {
		record := sections["each"]
		for _, how := range []string{"event", "string", "line", "csv", "keyvalues", "packed", "xml", "sls", "aks", "columns", "gke"} {
			if mark := "@" + how + "@"; strings.Contains(record, mark) {
				record = strings.Replace(record, mark, written(how, string(line)), 1)
				break
			}
		}
		out.WriteString(record)
	}
	out.WriteString(sections["after"])
	return out.Bytes()
}

func benchmarkCarrier(b *testing.B, name string, data []byte, events int) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var decoder Decoder
		for b.Loop() {
			n := 0
			r := NewReader([]*Log{NewLog("x", bytes.NewReader(data))}, Options{Ordered: true})
			var chunk Chunk
			for {
				err := r.Next(context.Background(), &chunk)
				if err == io.EOF {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				for decoder.Reset(&chunk); decoder.Next(); {
					n++
				}
			}
			r.Close()
			if n != events {
				b.Fatalf("%d events of %d", n, events)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
	})
}
