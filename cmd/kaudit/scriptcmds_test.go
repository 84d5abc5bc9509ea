package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// status runs a command and compares its exit status:
//
//	status STATUS COMMAND ARG...
func status(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status STATUS COMMAND ARG...")
	}
	checkStatus(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, want %s", got, want)
	}
}

// closedStdout runs a command whose standard output nobody reads any more:
//
//	closed STATUS COMMAND ARG...
func closedStdout(ts *testscript.TestScript, _ bool, args []string) {
	r, w, err := os.Pipe()
	ts.Check(err)
	ts.Check(r.Close())
	cmd := command(ts, args[1:])
	cmd.Stdout = w
	err = cmd.Run()
	ts.Check(w.Close())
	checkStatus(ts, args[0], err)
}

// interrupt feeds a file to a command's standard input, which it leaves open,
// again and again until the command has taken in a megabyte, and then sends it
// SIGINT:
//
//	interrupt STATUS FILE COMMAND ARG...
//
// A pipe holds 64 KiB: when a write of more returns, the rest has been read.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	text := []byte(ts.ReadFile(args[1]))
	cmd := command(ts, args[2:])
	cmd.Stdout = ts.Stdout()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	for fed := 0; fed < 1<<20; fed += len(text) {
		_, err := in.Write(text)
		ts.Check(err)
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	checkStatus(ts, args[0], cmd.Wait())
}

// command returns a command as exec would run it. Its standard error is the
// script's.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if file := filepath.Join(dir, args[0]); path == "" && isFile(file) {
			path = file
		}
	}
	if path == "" {
		ts.Fatalf("there is no command %s", args[0])
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	cmd.Stderr = ts.Stderr()
	return cmd
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// writeBytes writes files, and texts in Go's quotes, one after the other. A
// text may be repeated:
//
//	bytes TO FILE|"TEXT"|N*"TEXT"...
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	for _, arg := range args[1:] {
		if !strings.HasSuffix(arg, `"`) {
			b.WriteString(ts.ReadFile(arg))
			continue
		}
		times, quoted := "1", arg
		if !strings.HasPrefix(arg, `"`) {
			times, quoted, _ = strings.Cut(arg, "*")
		}
		n, err := strconv.Atoi(times)
		ts.Check(err)
		text, err := strconv.Unquote(quoted)
		ts.Check(err)
		b.WriteString(strings.Repeat(text, n))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// gzipFile compresses a file:
//
//	gzip FROM TO
func gzipFile(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(z.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o644))
}

// truncate cuts bytes off a file's end:
//
//	truncate FILE COUNT
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:len(text)-n]), 0o644))
}

// tarFiles puts files into an archive:
//
//	tar TO PATH=FILE...
func tarFiles(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, arg := range args[1:] {
		path, file, _ := strings.Cut(arg, "=")
		text := ts.ReadFile(file)
		ts.Check(w.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		ts.Check(err)
	}
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}
