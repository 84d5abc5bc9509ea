package parser

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/bench/cluster"
)

// BenchmarkDecode reads the log of an invented cluster at both levels with
// both decoders. Lines are in memory; names differ as they do in a run.
func BenchmarkDecode(b *testing.B) {
	for _, level := range []struct {
		name   string
		bodies bool
	}{{"metadata", false}, {"response", true}} {
		lines, size := clusterLines(level.bodies, 16<<20)
		for _, decoder := range []struct {
			name string
			eventDecoder
		}{{"fast", &fast{}}, {"reference", reference{}}} {
			b.Run(level.name+"/"+decoder.name, func(b *testing.B) {
				benchmarkDecode(b, decoder, lines, size)
			})
		}
	}
}

func benchmarkDecode(b *testing.B, decoder eventDecoder, lines [][]byte, size int64) {
	var e audit.Event
	var syms audit.Syms
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			decoder.release()
			if v := decoder.decode(line, &e, &syms); v != decoded {
				b.Fatalf("%s: %.200s", v, line)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(lines)), "ns/event")
}

func clusterLines(bodies bool, most int64) (lines [][]byte, size int64) {
	c := cluster.New(cluster.Options{Seed: 1, Bodies: bodies})
	for size < most {
		line := append([]byte(nil), c.Next()...)
		size += int64(len(line))
		lines = append(lines, line[:len(line)-1])
	}
	return lines, size
}
