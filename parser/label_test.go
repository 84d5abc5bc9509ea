package parser

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLabelsTellLogsOfOneFileApart: each API server has a log of its own, so
// that a hole in one is not filled by another; the file stays the source.
func TestLabelsTellLogsOfOneFileApart(t *testing.T) {
	for _, c := range []struct{ name, prefix, want string }{
		{"no label", "", "f.log"},
		{"kubectl logs --prefix", "[pod/kube-apiserver-cp1/kube-apiserver] ", "f.log#kube-apiserver-cp1"},
		{"stern", "kube-apiserver-cp1 kube-apiserver ", "f.log#kube-apiserver-cp1 kube-apiserver"},
		{"oc adm node-logs", "cp1.example.com ", "f.log#cp1.example.com"},
		{"aws logs tail", "2026-01-05T09:00:00.000000+00:00 kube-apiserver-audit-0123456789abcdef ", "f.log#kube-apiserver-audit-0123456789abcdef"},
		{"journalctl", "Jan 05 09:00:00 cp1 kube-apiserver[1]: ", "f.log#cp1"},
		{"journalctl -o short-iso", "2026-01-05T09:00:00+0000 cp1 kube-apiserver[1]: ", "f.log#cp1"},
		{"RFC 5424", `<134>1 2026-01-05T09:00:00.000Z cp1 kube-apiserver 1 - [a b="\]"] `, "f.log#cp1"},
		{"RFC 3164", "<134>Jan  5 09:00:00 cp1 kube-apiserver[1]: ", "f.log#cp1"},
		{"a node and a time", "cp1.example.com 2026-01-05T09:00:00.000Z ", "f.log#cp1.example.com"},
		{"a pod whose name ends with a number", "kube-apiserver-12: ", "f.log#kube-apiserver-12"},
		{"docker compose", "kube-apiserver-1  | ", "f.log#kube-apiserver-1"},
		{"grep -n", "12:", "f.log"},
		{"grep -Hn", "audit.log:12:", "f.log#audit.log"},
		{"kubectl logs --timestamps", criTime + " ", "f.log"},
		{"control characters", "a\x1b[31mb ", "f.log#a[31mb"},
	} {
		r := NewReader([]*Log{NewLog("f.log", strings.NewReader(c.prefix+event("a")+"\n"))}, Options{})
		var chunk Chunk
		var d Decoder
		if err := r.Next(context.Background(), &chunk); err != nil {
			t.Fatal(err)
		}
		d.Reset(&chunk)
		if !d.Next() {
			t.Errorf("%s: no event", c.name)
			continue
		}
		if e := d.Event(); e.Log != c.want || e.Source != "f.log" {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, e.Log))
		}
		r.Close()
	}
}
