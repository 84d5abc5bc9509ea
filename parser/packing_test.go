package parser

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// A file is a member of an archive that a test makes.
type file struct{ name, text string }

func tarOf(t *testing.T, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipOf makes a zip whose members have their lengths before them, as zip(1)
// writes them to a file, or behind them, as it does to a pipe.
func zipOf(t *testing.T, method uint16, piped bool, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		var err error
		var to io.Writer
		switch {
		case piped:
			to, err = w.CreateHeader(&zip.FileHeader{Name: f.name, Method: method})
		default:
			var raw []byte
			raw, err = deflated(f.text, method)
			h := &zip.FileHeader{Name: f.name, Method: method, CRC32: crc32.ChecksumIEEE([]byte(f.text)), CompressedSize64: uint64(len(raw)), UncompressedSize64: uint64(len(f.text))}
			if err == nil {
				to, err = w.CreateRaw(h)
			}
			f.text = string(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(to, f.text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func xzOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func gz(text string) string { return string(gzipped(text)) }

// deflated packs a text as a zip does.
func deflated(text string, method uint16) ([]byte, error) {
	if method == zip.Store {
		return []byte(text), nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	io.WriteString(w, text)
	err = w.Close()
	return b.Bytes(), err
}
