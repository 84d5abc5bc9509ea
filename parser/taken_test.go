package parser_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kaudit/kaudit/parser"
)

func TestTakenIsTheWholeFileInTheEnd(t *testing.T) {
	file := filepath.Join("..", "fixtures", "e-panic-generic-all", "audit.log.gz")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	inputs := parser.Find([]string{file}, nil)
	part := inputs.Logs[0].Parts[0]
	if taken, size := part.Taken(); taken != 0 || size != info.Size() {
		t.Errorf("before reading, %d of %d bytes are taken, want 0 of %d", taken, size, info.Size())
	}
	reader := parser.NewReader(inputs.Logs, parser.Options{})
	defer reader.Close()
	var chunk parser.Chunk
	for err == nil {
		err = reader.Next(t.Context(), &chunk)
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	if taken, size := part.Taken(); taken != size {
		t.Errorf("after reading, %d of %d bytes are taken", taken, size)
	}
}
