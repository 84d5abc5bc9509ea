package parser

import (
	"encoding/binary"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A day is the last date read: nearly every stamp of a log has the one before.
type day struct {
	text  [10]byte
	start audit.Time
}

// A date, the clock of a MicroTime and its fraction, eight bytes each. What the
// bytes of a stamp differ in from these is at most 9 where a digit stands, else 0.
var (
	date     = binary.LittleEndian.Uint64([]byte("0000-00-"))
	clock    = binary.LittleEndian.Uint64([]byte("00:00:00"))
	fraction = binary.LittleEndian.Uint64([]byte(".000000Z"))
)

// Added to such a difference these carry into a byte's highest bit if it is
// too large.
const (
	dateExcess     = 0x7f76767f76767676
	clockExcess    = 0x76767f76767f7676
	fractionExcess = 0x7f7676767676767f
)

// stamp reads a MicroTime in UTC, as Kubernetes writes it, or null. Other
// forms are reference's.
func (f *fast) stamp(b []byte, i int) (audit.Time, int) {
	i = space(b, i)
	if after, ok := null(b, i); ok {
		return 0, after
	}
	const size = len(`"2006-01-02T15:04:05.000000Z"`)
	if len(b)-i < size || b[i] != '"' || b[i+11] != 'T' || b[i+size-1] != '"' {
		return 0, -1
	}
	hms := binary.LittleEndian.Uint64(b[i+12:]) ^ clock
	micros := binary.LittleEndian.Uint64(b[i+20:]) ^ fraction
	if ((hms+clockExcess)|hms|(micros+fractionExcess)|micros)&each80 != 0 {
		return 0, -1
	}
	h, m, s := twoDigits(hms), twoDigits(hms>>24), twoDigits(hms>>48)
	if h > 23 || m > 59 || s > 59 || !f.day.read(b[i+1:i+11]) {
		return 0, -1
	}
	us := twoDigits(micros>>8)*10_000 + twoDigits(micros>>24)*100 + twoDigits(micros>>40)
	return f.day.start + audit.Time(((h*60+m)*60+s)*1_000_000+us), i + size
}

func twoDigits(w uint64) int64 { return int64(w&0xff*10 + w>>8&0xff) }

// read sets d to the date in text, and reports false if it is none or before
// 1970, whose like only the zero time of Go has.
func (d *day) read(text []byte) bool {
	if string(text) == string(d.text[:]) {
		return true
	}
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil || t.Year() < 1970 {
		return false
	}
	copy(d.text[:], text)
	d.start = audit.TimeOf(t)
	return true
}
