package parser

import "bytes"

// dockerStart is how a line of Docker's json-file begins: so it is written.
const dockerStart = `{"log":"`

// peelDocker: a line of Docker's json-file log driver, {"log":"TEXT\n",
// "stream":"stdout","time":"..."}. A text without \n at its end is a piece. It
// returns where the text, still escaped, ends.
func peelDocker(line []byte) (p peeled, end int, ok bool) {
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
	p.more = !bytes.HasSuffix(line[p.text:end], []byte(`\n`))
	p.stamp = dockerTime(line[end+len(then):])
	return p, end, p.stamp != nil // others write a log and a stream, too
}

// dockerEnd returns where the text of a line ends, or -1. Behind it stand the
// output and the time, whose fraction has no zeros at its end; with them what
// Docker was told to say of the container.
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

// dockerTime returns the time that stands behind the output: at once, or behind
// what Docker was told to say.
func dockerTime(rest []byte) []byte {
	const key, usual = `"time":"`, len(`","stream":"stdout",`)
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

// openDocker opens a line of Docker's.
func (d *Decoder) openDocker(t *text) bool {
	p, end, ok := peelDocker(t.data)
	if !ok {
		return false
	}
	from := len(d.arena)
	arena, after := unquote(d.arena, t.data, p.text)
	if after != end+1 {
		arena = d.arena // no text, but its end was seen
		d.refuse(Malformed, t)
	}
	d.arena = arena
	in := t.holding(arena[from:], p.text)
	in.shapes = in.shapes.with(DockerJSON)
	in.stamp, in.output, in.more = p.stamp, p.output, p.more
	d.join(in)
	return true
}
