package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCompletionsInTheRepositoryAreCurrent(t *testing.T) {
	for shell, file := range map[string]string{
		"bash": "kaudit.bash", "zsh": "_kaudit", "fish": "kaudit.fish", "powershell": "kaudit.ps1",
	} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), "kaudit", []string{"completion", shell}, nil, &stdout, &stderr); status != 0 {
			t.Fatalf("%s: exit status %d: %s", shell, status, stderr.String())
		}
		committed, err := os.ReadFile(filepath.Join("../../completions", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, stdout.Bytes()) {
			t.Errorf("completions/%s is not what kaudit completion %s prints: go generate ./cmd/kaudit", file, shell)
		}
	}
}
