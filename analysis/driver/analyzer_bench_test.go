package driver_test

import (
	"bytes"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/bench/cluster"
	"github.com/kaudit/kaudit/parser"
)

// BenchmarkAnalyzer reads 32 MiB with one analyzer at a time, by one worker.
// What it costs more than "none" is the analyzer's own, its report included.
func BenchmarkAnalyzer(b *testing.B) {
	log := invented(b, cluster.Options{Seed: 1}, 32<<20)
	benchmarkScan(b, "none", log, 1, nil)
	for _, a := range analyzers.All() {
		benchmarkScan(b, a.Name, log, 1, []*analysis.Analyzer{a})
	}
}

// BenchmarkBodies reads 64 MiB at level RequestResponse with every analyzer.
func BenchmarkBodies(b *testing.B) {
	log := invented(b, cluster.Options{Seed: 1, Bodies: true}, 64<<20)
	benchmarkScan(b, "workers=1", log, 1, analyzers.All())
	benchmarkScan(b, "workers=2", log, 2, analyzers.All())
}

func benchmarkScan(b *testing.B, name string, log []byte, workers int, with []*analysis.Analyzer) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		b.ReportAllocs()
		for b.Loop() {
			logs := []*parser.Log{parser.NewLog("audit.log", bytes.NewReader(log))}
			if r := driver.Run(b.Context(), logs, driver.Options{Workers: workers, Analyzers: with}); r.Input.Events == 0 {
				b.Fatal("no events")
			}
		}
	})
}

func invented(b *testing.B, o cluster.Options, size int64) []byte {
	b.Helper()
	var log bytes.Buffer
	if err := cluster.New(o).Write(&log, size); err != nil {
		b.Fatal(err)
	}
	return log.Bytes()
}
