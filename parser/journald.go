package parser

import "bytes"

// peelJournald: what journalctl and rsyslog print: a time, the host, the
// program with its number. The time may have been peeled off before. With -o
// verbose and export the message has a line of its own.
func peelJournald(line []byte) (p peeled, ok bool) {
	const message = "MESSAGE="
	if bytes.HasPrefix(line, []byte(message)) {
		return peeled{text: len(message)}, true
	}
	if n := lengthEnd(line); n > 0 {
		return peeled{text: n}, true
	}
	i := clockEnd(line)
	if i > 0 {
		p.stamp = line[:i]
		i++
	} else if n := fullClockEnd(line); n > 0 {
		p.stamp = line[len("Sun "):n]
		i = n + 1
	}
	host := bytes.IndexByte(line[i:], ' ')
	if host <= 0 {
		return p, false
	}
	p.label = line[i : i+host]
	i += host + 1
	colon := bytes.IndexByte(line[i:], ':')
	if colon < 0 || bytes.IndexByte(line[i:i+colon], ' ') >= 0 {
		return p, false
	}
	if tag := line[i : i+colon]; p.stamp == nil && (len(tag) < 4 || tag[len(tag)-1] != ']') {
		return p, false // two words and a colon are anything's
	}
	if i += colon + 1; i < len(line) && line[i] == ' ' {
		i++
	}
	p.text = i
	return p, true
}

// fullClockEnd returns how long the time is with which line begins as journalctl
// -o short-full has it: Sun 2026-11-29 14:02:15 UTC; or 0.
func fullClockEnd(line []byte) int {
	const day = len("Sun ")
	if len(line) < day || line[day-1] != ' ' || line[0]-'A' > 'Z'-'A' {
		return 0
	}
	end := stampEnd(line[day:])
	if end == 0 {
		return 0
	}
	if end += day; end < len(line) && line[end] == ' ' {
		zone := bytes.IndexByte(line[end+1:], ' ')
		if zone >= 3 && zone <= 5 && len(bytes.Trim(line[end+1:end+1+zone], "ABCDEFGHIJKLMNOPQRSTUVWXYZ+-0123456789")) == 0 {
			return end + 1 + zone
		}
	}
	return 0
}

// lengthEnd returns how much of the length is at a line's beginning that stands
// before a value which is no plain text, in journalctl -o export: eight bytes,
// the lowest first; or 0. The lowest may be missing: if it is 10 it ended the
// line before, and zeros before a value were trimmed. Source: systemd, "Journal
// Export Formats".
func lengthEnd(line []byte) int {
	for n := 8; n >= 7 && len(line) > n; n-- {
		length := 0
		for i, b := range line[:n] {
			length |= int(b) << (8 * (i + 8 - n))
		}
		if length>>24 == 0 && length|0xff>>(8*(n-7)) >= len(line)-n {
			return n
		}
	}
	return 0
}

// lengthRest is how many bytes are left of such a length if the second of them
// ended a line, of a value of some 2.5 KiB: all of them zeros.
const lengthRest = 6

// clockEnd returns how long the time is with which line begins as syslog has
// it, without year and zone: Nov 29 14:02:15, with a fraction or not; or 0.
func clockEnd(line []byte) int {
	const shape = "Aaa _0 00:00:00"
	if len(line) <= len(shape) || line[0]-'A' > 'Z'-'A' {
		return 0
	}
	for i := 1; i < len(shape); i++ {
		c, fits := line[i], true
		switch shape[i] {
		case 'a':
			fits = 'a' <= c && c <= 'z'
		case '_':
			fits = c == ' ' || isDigit(c)
		case '0':
			fits = isDigit(c)
		default:
			fits = c == shape[i]
		}
		if !fits {
			return 0
		}
	}
	i := len(shape)
	if line[i] == '.' {
		for i++; i < len(line) && isDigit(line[i]); i++ {
		}
	}
	if i >= len(line) || line[i] != ' ' {
		return 0
	}
	return i
}
