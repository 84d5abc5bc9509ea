//go:build unix

package parser_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kaudit/kaudit/parser"
)

func TestANamedPipeThatNobodyWritesToIsNotWaitedForInVain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	in := parser.Find([]string{name}, nil)
	reader := parser.NewReader(in.Logs, parser.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := reader.Next(ctx, new(parser.Chunk)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	reader.Close()
	// Let go of who waits for a writer, so that it does not outlive the test.
	if writer, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		writer.Close()
	}
}

func TestANamedPipeIsRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		if writer, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			writer.WriteString("one\ntwo\n")
			writer.Close()
		}
	}()
	reader := parser.NewReader(parser.Find([]string{name}, nil).Logs, parser.Options{})
	defer reader.Close()
	var c parser.Chunk
	if err := reader.Next(t.Context(), &c); err != nil || string(c.Data) != "one\ntwo\n" {
		t.Errorf("got %q, %v", c.Data, err)
	}
}
