package parser

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/kaudit/kaudit/parser/serverlog"
)

// headSize is how much of a part is looked at to tell what it is.
const headSize = 64 << 10

// A beginning is the first bytes of a part, and what is behind it.
type beginning struct {
	data     []byte
	document bool
	rest     io.Reader
	err      error // what the part ended with, if it is no longer than its head
}

// readHead reads the beginning of a part, as much as it takes to tell whether
// it is a document and what its first line is, at most headSize bytes. It
// waits for no more, since r may be a pipe that is followed.
func readHead(r io.Reader) beginning {
	h := beginning{data: make([]byte, 0, headSize), rest: r}
	for len(h.data) < headSize && h.err == nil {
		var n int
		n, h.err = r.Read(h.data[len(h.data):headSize])
		h.data = h.data[:len(h.data)+n]
		var known bool
		if h.document, known = isDocument(h.data); known && bytes.IndexByte(h.data, '\n') >= 0 {
			break
		}
	}
	if h.err != nil {
		h.rest = failing{h.err}
	}
	return h
}

// newCutter returns what cuts a stream that begins with head, and the name of
// its form.
func newCutter(h beginning, opts Options) (cutter, string) {
	rest, marked := bytes.CutPrefix(h.data, []byte(byteOrderMark))
	r := io.MultiReader(bytes.NewReader(rest), h.rest)
	offset := int64(0)
	if marked {
		offset = int64(len(byteOrderMark))
	}
	if forced := opts.Format.name; forced != "" {
		h.document = forced == documentForm
	}
	if h.document {
		return &documentCutter{r: r, opts: opts, offset: offset}, documentForm
	}
	lines := &lineCutter{r: r, opts: opts, offset: offset}
	if tracked(h.data) {
		lines.tracker = &tracker{maxLine: opts.MaxLine}
	}
	return lines, linesForm
}

const byteOrderMark = "\xef\xbb\xbf"

// isDocument reports whether a part is JSON whose values run over several
// lines or stand in a list, by what it begins with, and whether that is known
// yet. A value that goes on in a second line shows it there: behind a line
// that was torn comes one that can't go on.
func isDocument(head []byte) (document, known bool) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	head = bytes.TrimLeft(head, blanks+"\n")
	if len(head) == 0 {
		return false, false
	}
	if head[0] != '{' && head[0] != '[' {
		if document, known = isHeaded(head); document || !known {
			return document, known
		}
		return isBelowText(head)
	}
	var w walker
	i, s := w.walk(head, 0)
	line := bytes.IndexByte(head, '\n')
	if line < 0 {
		line = len(head)
	}
	second := len(head) - len(bytes.TrimLeft(head[line:], blanks+"\n"))
	item := w.lists && w.start > 0 && head[w.start] == '{' // not a text such as [1] x
	switch s {
	case broken:
		return i > second, true
	case recordEnd:
		return item || i > line, true
	}
	return w.lists || second < len(head), item || second < len(head)
}

// isHeaded reports whether a part has objects over several lines below lines
// with their time and stream, as aws logs tail --format json prints them, and
// whether that is known yet.
func isHeaded(head []byte) (headed, known bool) {
	line, rest, whole := bytes.Cut(head, []byte("\n"))
	if !isHead(line) {
		return false, whole || len(line) > maxHead
	}
	brace, _, whole := bytes.Cut(rest, []byte("\n"))
	brace = bytes.TrimRight(brace, blanks)
	return whole && string(brace) == "{", whole || len(brace) > 0 && brace[0] != '{'
}

// isBelowText reports whether a document stands below some lines of text, such
// as what the program warned of that printed it, and whether that is known yet.
func isBelowText(head []byte) (document, known bool) {
	const most = 8
	for range most {
		line, rest, whole := bytes.Cut(head, newline)
		text := string(bytes.Trim(line, blanks))
		switch {
		case !whole:
			return false, len(line) > maxHead
		case text == "{" || text == "[":
			return isDocument(head)
		case strings.Contains(text, "{") || serverlog.HasHeader(line):
			return false, true
		}
		head = rest
	}
	return false, true
}

// isHead reports whether a line is a time and the name of a stream, which is
// none longer than maxHead.
func isHead(line []byte) bool {
	n := stampEnd(line)
	if n == 0 || n == len(line) || line[n] != ' ' || len(line) > maxHead {
		return false
	}
	stream := bytes.Trim(line[n:], blanks)
	return len(stream) > 0 && bytes.IndexByte(stream, ' ') < 0 && bytes.IndexByte(stream, '{') < 0
}

// maxHead is longer than a time and a stream: CloudWatch takes 512 characters.
const maxHead = 600

// isBinary reports whether head is of no text: compiled, packed or drawn.
// Leading NULs don't count; a log may begin with them, and have others behind
// a line of text.
func isBinary(head []byte) bool {
	head = bytes.TrimLeft(head, "\x00")
	nul := bytes.IndexByte(head, 0)
	if nul < 0 || head[0] == '{' {
		return false
	}
	line := bytes.IndexByte(head[:nul], '\n')
	return line < 0 || !utf8.Valid(head[:line])
}
