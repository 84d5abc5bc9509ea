package parser

import (
	"bytes"
	"io"
)

// headSize is how much of a part is looked at to tell what it is.
const headSize = 64 << 10

// readHead reads the beginning of a part: through its first line, or headSize
// bytes of it. It waits for no more, since r may be a pipe that is followed.
func readHead(r io.Reader) ([]byte, error) {
	head := make([]byte, 0, headSize)
	for len(head) < headSize {
		n, err := r.Read(head[len(head):headSize])
		head = head[:len(head)+n]
		if err != nil {
			return head, err
		}
		if bytes.IndexByte(bytes.TrimLeft(head, "\x00"), '\n') >= 0 {
			break
		}
	}
	return head, nil
}

// newCutter tells from the head of a stream how to cut it, and returns the
// name of that form.
func newCutter(head []byte, r io.Reader, opts Options) (cutter, string) {
	bom := int64(0)
	if rest, ok := bytes.CutPrefix(head, []byte("\xef\xbb\xbf")); ok {
		head, bom = rest, 3
	}
	if isDocument(head) {
		return &documentCutter{r: io.MultiReader(bytes.NewReader(head), r), opts: opts, offset: bom}, "json"
	}
	return &lineCutter{r: io.MultiReader(bytes.NewReader(head), r), opts: opts, offset: bom}, "jsonl"
}

// isDocument reports whether a part is JSON whose values run over several
// lines or stand in an array, by its first line: such a line ends where no
// value can end. A line of its own that was cut off looks otherwise.
func isDocument(head []byte) bool {
	head = bytes.TrimLeft(head, "\x00 \t\r\n")
	line, _, whole := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case '[':
		// A prefix such as [pod/kube-apiserver-cp1] is no array.
		item := bytes.TrimLeft(line[1:], " \t")
		return len(item) == 0 || item[0] == '{' || item[0] == ']'
	case '{':
		switch line[len(line)-1] {
		case '{', '[', ',', ':':
			return whole
		}
		return bytes.HasPrefix(line, []byte(`{"kind":"EventList"`))
	}
	return false
}

// isBinary reports whether head is of no text: compiled, packed or drawn.
// Leading NULs don't count; a log may begin with them.
func isBinary(head []byte) bool {
	head = bytes.TrimLeft(head, "\x00")
	return bytes.IndexByte(head, 0) >= 0 && bytes.IndexByte(head, '{') != 0
}
