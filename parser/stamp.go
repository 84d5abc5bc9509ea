package parser

import (
	"encoding/binary"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// time returns the carrier's time, or 0 if it gives none that can be read.
func (t *text) time() audit.Time { return parseStamp(t.stamp) }

// stampLayouts are the forms in which carriers write a time, beside RFC 3339
// and the numbers of parseEpoch.
var stampLayouts = []string{
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999 Z0700",
	"2006-01-02 15:04:05.999999999Z0700",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999",
	namedZone,
	"1/2/2006, 3:04:05.999 PM",
}

// namedZone is how Splunk writes a time. The name of a zone tells its distance
// from UTC only if that is none.
const namedZone = "2006-01-02 15:04:05.999999999 MST"

// parseStamp reads a time in any form that a carrier writes. A time without a
// zone is UTC, in which API servers log.
func parseStamp(b []byte) audit.Time {
	if len(b) < 10 || len(b) > 40 {
		return 0
	}
	text := string(b)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return audit.TimeOf(t)
	}
	for _, layout := range stampLayouts {
		if t, err := time.Parse(layout, text); err == nil && (layout != namedZone || t.Location() == time.UTC) {
			return audit.TimeOf(t)
		}
	}
	return parseEpoch(text)
}

// parseEpoch reads the time since 1970 in seconds, or in thousandths,
// millionths or billionths of one: which, tells the number of digits, for any
// time from 2001 to 2286.
func parseEpoch(text string) audit.Time {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds < 1e10 && seconds > 0 {
		return audit.Time(seconds * 1e6)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	switch len(text) {
	case 13:
		return audit.Time(n * 1000)
	case 16:
		return audit.Time(n)
	case 19:
		return audit.Time(n / 1000)
	}
	return 0
}

// stampEnd returns how long the time in RFC 3339 is with which b begins, or
// with a blank for the T, with or without a zone; or 0. It looks at no more
// than the shape.
func stampEnd(b []byte) int {
	const shape = "0000-00-00T00:00:00"
	if len(b) < len(shape) || b[10] != 'T' && b[10] != ' ' || !isDigit(b[8]) || !isDigit(b[9]) {
		return 0
	}
	ymd := binary.LittleEndian.Uint64(b) ^ date
	hms := binary.LittleEndian.Uint64(b[11:]) ^ clock
	if ((ymd+dateExcess)|ymd|(hms+clockExcess)|hms)&each80 != 0 {
		return 0
	}
	i := len(shape)
	if i < len(b) && (b[i] == '.' || b[i] == ',') {
		for i++; i < len(b) && isDigit(b[i]); i++ {
		}
	}
	return i + zoneEnd(b[i:])
}

// zoneEnd returns how long the zone is with which b begins: Z, +0100, +01:00.
func zoneEnd(b []byte) int {
	if len(b) > 0 && b[0] == 'Z' {
		return 1
	}
	if len(b) < 5 || b[0] != '+' && b[0] != '-' {
		return 0
	}
	i := 1
	for i < len(b) && i < 6 && (isDigit(b[i]) || b[i] == ':') {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }
