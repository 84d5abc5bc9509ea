package driver_test

import (
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/bench/cluster"
	"github.com/kaudit/kaudit/parser"
)

var mib = flag.Int64("mib", 64, "how many MiB BenchmarkRun reads")

// BenchmarkRun reads the log of an invented cluster, 64 MiB or what -mib says: decoding
// and facts alone, and with every analyzer. Read it as MB/s.
func BenchmarkRun(b *testing.B) {
	size := *mib << 20
	dir := b.TempDir()
	plain, packed := filepath.Join(dir, "audit.log"), filepath.Join(dir, "packed.log.gz")
	write(b, plain, packed, size)
	for _, with := range []struct {
		name      string
		analyzers func() []*analysis.Analyzer
	}{{"facts", func() []*analysis.Analyzer { return nil }}, {"all", analyzers.All}} {
		for _, path := range []string{plain, packed} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/workers=%d", with.name, filepath.Ext(path)[1:], workers), func(b *testing.B) {
					b.SetBytes(size)
					b.ReportAllocs()
					for b.Loop() {
						r := driver.Run(b.Context(), parser.Find([]string{path}, nil).Logs, driver.Options{Workers: workers, Analyzers: with.analyzers()})
						b.ReportMetric(float64(r.Input.Events), "events")
					}
				})
			}
		}
	}
}

func write(b *testing.B, plain, packed string, size int64) {
	b.Helper()
	for _, path := range []string{plain, packed} {
		file, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		c := cluster.New(cluster.Options{Seed: 1})
		if path == packed {
			z := gzip.NewWriter(file)
			err = c.Write(z, size)
			z.Close()
		} else {
			err = c.Write(file, size)
		}
		if err != nil {
			b.Fatal(err)
		}
		if err := file.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEventsCostHardlyAnAllocation: what a run allocates is for names, states,
// intervals and chunks, and shrinks against the events. The same events again
// must not cost a twentieth of one each, over so many repetitions that what is
// allocated by chance does not count.
func TestEventsCostHardlyAnAllocation(t *testing.T) {
	const name = "f-big-normal-metadata/audit.log.gz"
	data := text(t, name)
	read := func(times int) float64 {
		return testing.AllocsPerRun(1, func() {
			log := &parser.Log{Name: "audit.log"}
			for n := range times {
				log.Parts = append(log.Parts, parser.NewLog(fmt.Sprint("audit.log-", n), strings.NewReader(data)).Parts...)
			}
			driver.Run(t.Context(), []*parser.Log{log}, driver.Options{Workers: 1})
		})
	}
	const more = 8
	if an := (read(1+more) - read(1)) / more / 21882; an > 0.05 {
		t.Errorf("%.3f allocations an event; want 0.05 at most", an)
	}
}
