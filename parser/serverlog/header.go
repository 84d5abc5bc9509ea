package serverlog

import (
	"bytes"
	"strings"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Header is what klog writes before each of its messages:
//
//	I1129 13:45:34.206123    4896 httplog.go:135] message
//
// Only the time is kept. It has no year and no zone: it is local time of the
// process. Source: k8s.io/klog, internal/buffer; its ancestor glog has the
// same.
type Header struct {
	month time.Month
	day   int
	clock time.Duration // since midnight
}

// early stands before what is logged before the flags are parsed.
var early = []byte("ERROR: logging before flag.Parse: ")

// stampSize is the length of "I1129 13:45:34.206123".
const stampSize = 21

// ParseHeader splits a text into klog's header and its message.
func ParseHeader(text []byte) (h Header, message []byte, ok bool) {
	text = bytes.TrimPrefix(text, early)
	if !HasHeader(text) {
		return Header{}, nil, false
	}
	rest := bytes.TrimLeft(text[stampSize:], " ")
	pid := leadingDigits(rest)
	if pid == 0 || pid == len(rest) || rest[pid] != ' ' {
		return Header{}, nil, false
	}
	file, message, ok := bytes.Cut(rest[pid+1:], []byte("]"))
	if !ok || bytes.LastIndexByte(file, ':') <= 0 || bytes.IndexByte(file, ' ') >= 0 {
		return Header{}, nil, false
	}
	h = Header{month: time.Month(number(text[1:3])), day: number(text[3:5])}
	h.clock = time.Duration(number(text[6:8]))*time.Hour + time.Duration(number(text[9:11]))*time.Minute +
		time.Duration(number(text[12:14]))*time.Second + time.Duration(number(text[15:21]))*time.Microsecond
	return h, bytes.TrimPrefix(message, []byte(" ")), true
}

const stampForm = "I0000 00:00:00.000000"

// HasHeader reports whether a text begins like a klog line, with a severity and
// a time.
func HasHeader(text []byte) bool {
	if len(text) <= stampSize || text[stampSize] != ' ' || strings.IndexByte("IWEF", text[0]) < 0 {
		return false
	}
	for i := 1; i < stampSize; i++ {
		if c := stampForm[i]; c == '0' && !isDigit(text[i]) || c != '0' && text[i] != c {
			return false
		}
	}
	month, day := number(text[1:3]), number(text[3:5])
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
		number(text[6:8]) < 24 && number(text[9:11]) < 60 && number(text[12:14]) < 60
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func leadingDigits(s []byte) (n int) {
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// number returns the value of a few digits.
func number(digits []byte) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// in returns the header's time in a year, in UTC.
func (h Header) in(year int) audit.Time {
	return audit.TimeOf(time.Date(year, h.month, h.day, 0, 0, 0, 0, time.UTC)).Add(h.clock)
}
