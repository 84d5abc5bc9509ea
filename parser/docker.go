package parser

import "bytes"

// dockerStart is how Docker's json-file driver begins each line.
const dockerStart = `{"log":"`

// peelDocker: a line of Docker's json-file log driver, {"log":"TEXT\n",
// "stream":"stdout","time":"..."}. A text without \n at its end is a piece. It
// returns where the text, still escaped, ends.
func peelDocker(line []byte) (p peeled, end int, ok bool) {
	if p, end, ok = peelDockers(line); !ok {
		p, end, ok = peelRewritten(line)
	}
	return p, end, ok
}

// peelDockers peels a line as Docker writes it.
func peelDockers(line []byte) (p peeled, end int, ok bool) {
	const then = `","stream":"std`
	if !bytes.HasPrefix(line, []byte(dockerStart)) || line[len(line)-1] != '}' {
		return p, 0, false
	}
	if end = dockerEnd(line); end < 0 {
		return p, 0, false
	}
	switch rest := line[end+len(then):]; {
	case bytes.HasPrefix(rest, []byte(`out"`)):
		p.output = stdout
	case bytes.HasPrefix(rest, []byte(`err"`)):
		p.output = stderr
	default:
		return p, 0, false
	}
	p.text = len(dockerStart)
	p.more = !endsLine(line[p.text:end])
	p.stamp = dockerTime(line[end+len(then):])
	return p, end, p.stamp != nil // without a time it is another writer's
}

// dockerEnd returns where the text of a line ends, or -1. Behind it stand the
// output and the time, whose fraction has no trailing zeros, and maybe attributes
// of the container that Docker was configured to add.
func dockerEnd(line []byte) int {
	const then, out, time = `","stream":"std`, `","stream":"stdout","time":"`, "2006-01-02T15:04:05.999999999Z"
	for n := len(out) + len(time) + len(`"}`); n > len(out)+len(`"}`); n-- {
		if end := len(line) - n; end >= len(dockerStart) && string(line[end:end+len(then)]) == then {
			return end
		}
	}
	tail := max(len(line)-256, len(dockerStart))
	if i := bytes.Index(line[tail:], []byte(then)); i >= 0 {
		return tail + i
	}
	if i := bytes.Index(line[len(dockerStart):], []byte(then)); i >= 0 {
		return len(dockerStart) + i
	}
	return -1
}

// dockerTime returns the time that stands behind the output, maybe with attributes
// between them.
func dockerTime(rest []byte) []byte {
	const key, usual = `"time":"`, len(`out",`)
	i := usual
	if len(rest) < usual+len(key) || string(rest[usual:usual+len(key)]) != key {
		if i = bytes.Index(rest, []byte(key)); i < 0 {
			return nil
		}
	}
	stamp := rest[i+len(key):]
	if n := stampEnd(stamp); n > 0 {
		return stamp[:n]
	}
	return nil
}

// dockerPiece is how many bytes long the pieces are that Docker cuts a line into,
// but for the last. Source: moby, daemon/logger/copier.go, defaultBufSize.
const dockerPiece = 16 << 10

// peelRewritten peels a line of Docker's that another program has rewritten, with
// blanks or in another order of keys. That program may have dropped the \n at the
// end of the text, so a text without one is a piece only if it is as long as
// pieces are, or begins an object and does not end it, or continues a piece.
func peelRewritten(line []byte) (p peeled, end int, ok bool) {
	if !beginsRewritten(line) {
		return p, 0, false
	}
	var log, stream, time, last place
	for key, at := range membersOf(line, 0) {
		switch last = at; string(key) {
		case "log":
			log = at
		case "stream":
			stream = at
		case "time":
			time = at
		case "attrs":
		default:
			return p, 0, false // a shipper's
		}
	}
	if log.end == 0 || line[log.start] != '"' || space(line, last.end) != len(line)-1 {
		return p, 0, false
	}
	switch string(scalar(line, stream)) {
	case "stdout":
		p.output = stdout
	case "stderr":
		p.output = stderr
	}
	p.stamp = scalar(line, time)
	if p.output == noOutput || stampEnd(p.stamp) == 0 {
		return p, 0, false
	}
	p.text, end = log.start+1, log.end-1
	if text := line[p.text:end]; len(text) > 0 && !endsLine(text) {
		whole := text[len(text)-1] == '}'
		p.more = unescapedLen(text) >= dockerPiece || text[0] == '{' && !whole
		p.maybe = text[0] != '{' && !whole
	}
	return p, end, true
}

// beginsRewritten reports whether the first key of an object is one of
// Docker's.
func beginsRewritten(line []byte) bool {
	if len(line) == 0 || line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	i := space(line, 1)
	for _, key := range []string{`"log"`, `"stream"`, `"time"`, `"attrs"`} {
		if bytes.HasPrefix(line[i:], []byte(key)) {
			return true
		}
	}
	return false
}

// endsLine reports whether a text, escaped, has the end of a line at its end:
// \n, and not what stands for a backslash and an n behind it.
func endsLine(text []byte) bool {
	before, ok := bytes.CutSuffix(text, []byte("n"))
	return ok && (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// unescapedLen returns at least how long a text is without its escapes.
func unescapedLen(text []byte) int {
	n := len(text)
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			continue
		}
		i++
		n--
		if text[i] == 'u' {
			n -= 4
		}
	}
	return n
}

// openDocker opens a line of Docker's.
func (d *Decoder) openDocker(t *text) bool {
	p, end, ok := peelDocker(t.data)
	if !ok {
		return false
	}
	from := len(d.arena)
	arena, after := unquote(d.arena, t.data, p.text)
	if after != end+1 {
		arena = d.arena // the string is not valid, though its end was found
		d.refuse(Malformed, t)
	}
	d.arena = arena
	in := t.holding(arena[from:], p.text)
	in.shapes = in.shapes.with(DockerJSON)
	in.stamp, in.output, in.more, in.maybe = p.stamp, p.output, p.more, p.maybe
	d.join(in)
	return true
}
