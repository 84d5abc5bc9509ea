package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"
)

func TestTheLogThatShipsIsTheOneWritten(t *testing.T) {
	packed, err := os.ReadFile("../../cmd/kaudit/demo.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > 200_000 {
		t.Errorf("the log has %d bytes, more than 200 kB", len(packed))
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	written, err := log()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shipped, written) {
		t.Error("cmd/kaudit/demo.log.gz is not what this program writes: go generate ./cmd/kaudit")
	}
}
