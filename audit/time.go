package audit

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Time is an instant in microseconds since the Unix epoch, UTC: the
// resolution of metav1.MicroTime, in which the API server writes both of an
// event's stamps. The zero Time means that the log has none.
type Time int64

// Layout is how a Time is written: the form of metav1.MicroTime.
const Layout = "2006-01-02T15:04:05.000000Z"

// TimeOf returns t as a Time, cut to microseconds.
func TimeOf(t time.Time) Time { return Time(t.UnixMicro()) }

// Std returns t as a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMicro(int64(t)).UTC() }

// Sub returns t-u, or the longest duration there is, some 292 years: a log may
// have times from 0001 to 9999.
func (t Time) Sub(u Time) time.Duration {
	const longest = Time(math.MaxInt64 / time.Microsecond)
	return time.Duration(max(min(t-u, longest), -longest)) * time.Microsecond
}

// Add returns t+d, cut to microseconds.
func (t Time) Add(d time.Duration) Time { return t + Time(d/time.Microsecond) }

// String returns t in Layout, or the empty string for the zero Time.
func (t Time) String() string {
	if t == 0 {
		return ""
	}
	return t.Std().Format(Layout)
}

// MarshalJSON writes t in Layout, and the zero Time as null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == 0 {
		return []byte("null"), nil
	}
	return strconv.AppendQuote(nil, t.String()), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and any RFC 3339 time.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*t = 0
		return nil
	}
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("parse time %s: %w", b, err)
	}
	std, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("parse time: %w", err)
	}
	*t = TimeOf(std)
	return nil
}
