package parser

import "bytes"

// peelSyslog: a message as syslog's protocol has it, by RFC 5424 or 3164:
// <priority> and a header.
func peelSyslog(line []byte) (p peeled, ok bool) {
	if line[0] != '<' {
		return p, false
	}
	end := bytes.IndexByte(line, '>')
	if end < 2 || end > 4 || !isDigit(line[1]) || !isDigit(line[end-1]) {
		return p, false
	}
	if rest := line[end+1:]; len(rest) > 2 && rest[0] == '1' && rest[1] == ' ' {
		return peelRFC5424(line, end+3)
	}
	p, ok = peelJournald(line[end+1:])
	if !ok || p.stamp == nil {
		return p, false
	}
	p.text += end + 1
	return p, true
}

// peelRFC5424 reads what follows the version: time, host, program, process,
// message ID, structured data.
func peelRFC5424(line []byte, i int) (p peeled, ok bool) {
	for field := range 5 {
		space := bytes.IndexByte(line[i:], ' ')
		if space < 0 {
			return p, false
		}
		switch word := line[i : i+space]; field {
		case 0:
			p.stamp = word
		case 1:
			p.label = word
		}
		i += space + 1
	}
	if i = structuredEnd(line, i); i < 0 {
		return p, false
	}
	p.text = i
	return p, true
}

// structuredEnd returns where the message begins behind structured data: a
// dash, or elements in brackets, in which a bracket is escaped.
func structuredEnd(line []byte, i int) int {
	for i < len(line) && line[i] == '[' {
		for i < len(line) && line[i] != ']' {
			if line[i] == '\\' {
				i++
			}
			i++
		}
		i++
	}
	if i < len(line) && line[i] == '-' {
		i++
	}
	if i >= len(line) {
		return -1
	}
	rest := bytes.TrimPrefix(bytes.TrimLeft(line[i:], " "), []byte(byteOrderMark))
	return len(line) - len(rest)
}
