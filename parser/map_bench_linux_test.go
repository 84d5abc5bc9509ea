package parser

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// BenchmarkReadOrMap counts the lines of a plain file of 64 MiB that is in the page cache:
// read into one buffer, as a Reader does, or mapped into memory.
func BenchmarkReadOrMap(b *testing.B) {
	const size, block = 64 << 20, 1 << 20
	name := filepath.Join(b.TempDir(), "audit.log")
	line := append(bytes.Repeat([]byte("x"), 900), '\n')
	if err := os.WriteFile(name, bytes.Repeat(line, size/len(line)), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name  string
		lines func(*os.File) (int, error)
	}{
		{"read", func(file *os.File) (n int, err error) {
			buffer := make([]byte, block)
			for {
				got, err := file.Read(buffer)
				n += bytes.Count(buffer[:got], []byte("\n"))
				if err == io.EOF {
					return n, nil
				}
				if err != nil {
					return n, err
				}
			}
		}},
		{"map", func(file *os.File) (int, error) { return mappedLines(file, 0) }},
		{"map-populate", func(file *os.File) (int, error) { return mappedLines(file, unix.MAP_POPULATE) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				file, err := os.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				n, err := way.lines(file)
				if err != nil || n != size/len(line) {
					b.Fatalf("%d lines, %v", n, err)
				}
				file.Close()
			}
		})
	}
}

// mappedLines counts the lines of a file that it maps into memory.
func mappedLines(file *os.File, flags int) (int, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED|flags)
	if err != nil {
		return 0, err
	}
	if err := unix.Madvise(data, unix.MADV_SEQUENTIAL); err != nil {
		return 0, err
	}
	n := bytes.Count(data, []byte("\n"))
	return n, unix.Munmap(data)
}
