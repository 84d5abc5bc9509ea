package parser

import (
	"bytes"

	"github.com/kaudit/kaudit/parser/serverlog"
)

// A prefix is what stands before a text on each line of some carrier.
//
// A new one is a function in a file of its own, and one line in the list.
type prefix struct {
	shape Shape
	// peel reports what the prefix says, or ok false if line begins otherwise.
	peel func(line []byte) (p peeled, ok bool)
}

// A peeled is what a prefix says of the text behind it.
type peeled struct {
	text   int    // where the text begins
	end    int    // where it ends; 0 for the end of the line
	label  []byte // nil if the prefix names none
	stamp  []byte
	output output
	more   bool // the next piece of the output goes on with the text
	maybe  bool // it does so if the text goes on with another
}

// prefixes are tried in this order: a time stands before others, too.
var prefixes = [...]prefix{
	{CRI, peelCRI},
	{FluentdText, peelFluentd},
	{CloudWatch, peelEvents},
	{Timestamps, peelTimestamp},
	{PodPrefix, peelPodPrefix},
	{Journald, peelJournald},
	{Syslog, peelSyslog},
}

// openPrefix opens a line whose text stands behind a prefix.
func (d *Decoder) openPrefix(t *text) bool {
	if serverlog.HasHeader(t.data) {
		return d.openBehindOwn(t)
	}
	if d.openColumns(t) {
		return true
	}
	for i := range prefixes {
		if p, ok := prefixes[i].peel(t.data); ok {
			d.peel(t, prefixes[i].shape, p)
			return true
		}
	}
	if p, ok := d.peelSame(t); ok {
		d.peel(t, Prefix, p)
		return true
	}
	if d.openCSV(t) {
		return true
	}
	if p, ok := peelAny(t.data); ok {
		d.peel(t, Prefix, p)
		return true
	}
	return t.data[0] != '[' && d.openRunOn(t) || d.openSplunkXML(t) || d.openQuoted(t)
}

// peel keeps the text behind a prefix.
func (d *Decoder) peel(t *text, shape Shape, p peeled) {
	if p.end == 0 {
		p.end = len(t.data)
	}
	in := t.inside(p.text, p.end)
	in.shapes = in.shapes.with(shape)
	if p.label != nil {
		in.label = p.label
	}
	if p.stamp != nil {
		in.stamp = p.stamp
	}
	if p.output == noOutput {
		d.hold(in)
		return
	}
	in.output, in.more = p.output, p.more
	d.join(in)
}

// peelTimestamp: kubectl logs --timestamps, exports of CloudWatch to S3, aws
// logs tail, journalctl -o short-iso, Grafana's download of text.
func peelTimestamp(line []byte) (p peeled, ok bool) {
	n := stampEnd(line)
	if n == 0 || n >= len(line) || line[n] != ' ' && line[n] != '\t' || serverlog.IsAuditLine(line[n+1:]) {
		return p, false // or it is the time of a legacy audit event
	}
	return peeled{text: n + 1, stamp: line[:n]}, true
}

// peelPodPrefix: kubectl logs --prefix, [pod/NAME/CONTAINER]. Several pods are
// several API servers.
func peelPodPrefix(line []byte) (p peeled, ok bool) {
	const start = "[pod/"
	if !bytes.HasPrefix(line, []byte(start)) {
		return p, false
	}
	end := bytes.IndexByte(line, ']')
	slash := bytes.IndexByte(line[len(start):], '/')
	if slash <= 0 || end < len(start)+slash {
		return p, false
	}
	return peeled{text: end + 1, label: line[len(start) : len(start)+slash]}, true
}

// peelAny: an event behind any words, such as a node (oc adm node-logs), a pod
// and a container (stern), a log group and a stream (awslogs), a file (grep).
// The words are the label, but for times and counters, which differ from line
// to line. Or a line of the API server's own log behind such words, or an
// event in the text form.
func peelAny(line []byte) (p peeled, ok bool) {
	end := bytes.IndexByte(line, '{')
	if end <= 0 || line[end-1] != '\n' && !bytes.Contains(line[end:], []byte(`"auditID"`)) {
		if end = ownTextBehind(line); end <= 0 {
			return p, false
		}
	}
	label, stamp, word := wordsOf(line[:end])
	return peeled{text: end, label: label, stamp: stamp}, word
}

// ownTextBehind returns where a line of klog, or an event in the text form,
// begins behind a few words, or -1.
func ownTextBehind(line []byte) int {
	i := 0
	for range 6 {
		space := bytes.IndexAny(line[i:], " \t")
		if space < 0 {
			break
		}
		if i += space + 1; serverlog.HasHeader(line[i:]) {
			return i
		}
		if serverlog.IsAuditLine(line[i:]) {
			return stampBefore(line[:i])
		}
	}
	return -1
}

// stampBefore returns where the time begins that a text ends with, before a
// blank, or the end of the text.
func stampBefore(text []byte) int {
	end := len(text) - 1
	word := bytes.LastIndexAny(text[:end], " \t") + 1
	for i := word; i < end; {
		if stampEnd(text[i:end]) == end-i {
			return i
		}
		colon := bytes.IndexByte(text[i:end], ':') // behind the name of a file
		if colon < 0 {
			break
		}
		i += colon + 1
	}
	return len(text)
}

// wordsOf returns the words of a prefix from the first to the last that is a
// name: has a letter and is no time, and none stands between them; and the last
// that is a time. The prefix must end as one does.
func wordsOf(prefix []byte) (words, stamp []byte, ok bool) {
	if n := len(prefix); n == 0 || !isWordEnd(prefix[n-1]) && prefix[n-1] != ':' && prefix[n-1] != ',' {
		return nil, nil, false
	}
	if bytes.IndexByte(prefix, '}') >= 0 || bytes.Contains(prefix, []byte(`":`)) {
		return nil, nil, false // the rest of an object, no words
	}
	from, to := -1, 0
	for i := 0; i < len(prefix); {
		if isWordEnd(prefix[i]) {
			i++
			continue
		}
		start := i
		for i < len(prefix) && !isWordEnd(prefix[i]) {
			i++
		}
		if stampEnd(prefix[start:i]) == i-start {
			stamp = prefix[start:i]
		} else if n := nameEnd(prefix[start:i]); n > 0 && (to == 0 || stamp == nil) {
			if from < 0 {
				from = start
			}
			to = start + n
		}
	}
	if from < 0 {
		return nil, stamp, true
	}
	return prefix[from:to], stamp, true
}

func isWordEnd(c byte) bool { return c <= ' ' }

// nameEnd returns how much of a word is a name, without the number of a line
// behind it, or 0 if it is none.
func nameEnd(word []byte) int {
	if stampEnd(word) > 0 {
		return 0
	}
	n, letters := len(word), 0
	for n > 0 && (isDigit(word[n-1]) || word[n-1] == ':' || word[n-1] == ',') {
		n--
	}
	if n < len(word) && (n == 0 || word[n] != ':' && word[n] != ',') {
		n = len(bytes.TrimRight(word, ":,")) // the digits belong to the name
	}
	for _, c := range word[:n] {
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
	}
	if letters == 0 {
		return 0
	}
	return n
}
