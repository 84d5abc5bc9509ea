package serverlog

import (
	"bytes"
	"path"
)

// A Trace collects the topmost functions of a goroutine's stack from the lines
// that follow a panic: those below the last call of panic, which are the
// culprit and its callers. What Go's runtime does in between is left out.
//
//	goroutine 295 [running]:
//	panic({0x28114c0?, 0x4d1f3c0?})
//		/usr/local/go/src/runtime/panic.go:860 +0x13a
//	example.com/shop.(*Store).Get(0x147579b197d0)      <- the culprit
//		/src/shop/store.go:107 +0x82d
type Trace struct {
	Frames []string // "example.com/shop.(*Store).Get (store.go:107)"
	Value  []byte   // the first line, where it is no part of the stack: what was panicked with

	function []byte
	lines    int
	began    bool // the stack has
}

// maxFrames is how many functions are kept: the culprit and who called it.
const maxFrames = 5

// Add takes in the next line. It reports false if the line, and all behind
// it, is no part of the trace.
func (t *Trace) Add(line []byte) bool {
	text := bytes.Trim(line, " \t\r\n")
	t.lines++
	switch {
	case len(text) == 0:
		return true
	case text[0] == '>' || text[0] == '{' || HasHeader(text) || bytes.HasPrefix(text, []byte("created by ")):
		return false
	case bytes.HasPrefix(text, []byte("goroutine ")):
		first := !t.began
		t.began = true
		return first
	}
	if file, ok := place(text); ok {
		t.began = true
		t.frame(file)
		return true
	}
	if name, ok := function(text); ok && (t.began || t.lines > 1) {
		t.began = true
		t.function = append(t.function[:0], name...)
		return true
	}
	if t.began || t.lines > 1 {
		return bytes.HasPrefix(text, []byte("panic: ")) || bytes.HasPrefix(text, []byte("[signal "))
	}
	t.Value = append(t.Value, text...)
	return true
}

// frame adds a function, or begins anew below a call of panic.
func (t *Trace) frame(file []byte) {
	name := string(t.function)
	t.function = t.function[:0]
	base := path.Base(string(file))
	_, inRuntime := bytes.CutPrefix(file, []byte("runtime/"))
	for _, folder := range []string{"/src/runtime/", "internal/runtime/"} {
		inRuntime = inRuntime || bytes.Contains(file, []byte(folder))
	}
	if inRuntime && bytes.HasPrefix([]byte(base), []byte("panic.go:")) {
		t.Frames = t.Frames[:0]
		return
	}
	if inRuntime && len(t.Frames) == 0 || len(t.Frames) == maxFrames {
		return
	}
	if name != "" {
		base = name + " (" + base + ")"
	}
	t.Frames = append(t.Frames, base)
}

// InTrace reports whether a line certainly belongs to a stack trace: the
// heading of a goroutine, the file and line of a function, or the mark with
// which klog ends a value of several lines.
func InTrace(line []byte) bool {
	text := bytes.Trim(line, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	if string(text) == ">" {
		return true
	}
	_, ok := place(text)
	return ok || bytes.HasPrefix(text, []byte("goroutine ")) && bytes.HasSuffix(text, []byte("]:"))
}

// place reads "/src/shop/store.go:107 +0x82d", or a path that the build has
// trimmed, such as that of Kubernetes' releases: "k8s.io/shop/store.go:107".
func place(text []byte) (file []byte, ok bool) {
	file, _, _ = bytes.Cut(text, []byte(" "))
	colon := bytes.LastIndexByte(file, ':')
	if colon < 0 || leadingDigits(file[colon+1:]) == 0 {
		return nil, false
	}
	return file, bytes.HasSuffix(file[:colon], []byte(".go")) || bytes.HasSuffix(file[:colon], []byte(".s"))
}

// function reads "example.com/shop.(*Store).Get(0x147579b197d0)".
func function(text []byte) (name []byte, ok bool) {
	open := bytes.LastIndexByte(text, '(')
	if open <= 0 || text[len(text)-1] != ')' {
		return nil, false
	}
	name = text[:open]
	return name, bytes.IndexByte(name, ' ') < 0
}
