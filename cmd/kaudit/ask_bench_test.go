package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/bench/cluster"
)

// BenchmarkAsk compares the commands that answer a question with a scan of the
// same log: choosing a hundredth of its events or less, none may take more
// than 1.5 times as long.
func BenchmarkAsk(b *testing.B) {
	const size = 32 << 20
	log := filepath.Join(b.TempDir(), "audit.log")
	file, err := os.Create(log)
	if err != nil {
		b.Fatal(err)
	}
	if err := cluster.New(cluster.Options{Seed: 1}).Write(file, size); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	for name, args := range map[string]string{
		"scan":     "scan -q -o json",
		"events":   "events -q --verb delete",
		"raw":      "events -q --verb delete -o raw",
		"top":      "top user,verb,resource -q --verb delete",
		"top-all":  "top user,verb,resource -q",
		"who":      "who deleted pod/web-0 -n shop -q",
		"timeline": "timeline --user alice -q",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if status := run(b.Context(), "kaudit", append(strings.Fields(args), log), nil, io.Discard, io.Discard); status != 0 {
					b.Fatalf("exit status %d", status)
				}
			}
		})
	}
}
