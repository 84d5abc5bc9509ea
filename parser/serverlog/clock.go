package serverlog

import (
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A Clock holds what is known about the year and time zone of a klog line.
type Clock struct {
	// Stamp is the time that the carrier gave this line: a container
	// runtime, kubectl logs --timestamps, a log shipper. 0 means none.
	Stamp audit.Time
	// File is the modification time of the file that the line is in, or,
	// for a pipe, when it was opened.
	File audit.Time
}

const (
	// Zones differ from UTC by quarters of an hour, and by 14 h at most.
	zoneStep = 15 * time.Minute
	maxZone  = 14 * time.Hour
)

// At returns the time of a line, and whether its year and zone are guessed:
// then the zone is UTC, as in most containers, and the year is the latest in
// which the line is not later than its file.
func (c Clock) At(h Header) (at audit.Time, guess bool) {
	if c.Stamp != 0 {
		return near(h, c.Stamp), false
	}
	year := c.File.Std().Year() + 1
	for at = h.in(year); at > c.File.Add(maxZone); year-- {
		at = h.in(year - 1)
	}
	return at, true
}

// near returns the header's time in the year and the zone that bring it
// nearest to a stamp. Carriers stamp a line when they read it: milliseconds
// later, as a rule, but far less than half of a step of zones.
func near(h Header, stamp audit.Time) audit.Time {
	year := stamp.Std().Year()
	best := audit.Time(0)
	for y := year - 1; y <= year+1; y++ { // at New Year a zone may have another year
		at := inZone(h.in(y), stamp)
		if best == 0 || distance(at, stamp) < distance(best, stamp) {
			best = at
		}
	}
	return best
}

// inZone shifts a time by the zone that brings it nearest to a stamp. No zone
// makes up for more than a day: such a stamp is of something else.
func inZone(at, stamp audit.Time) audit.Time {
	shift := stamp.Sub(at).Round(zoneStep)
	if shift < -maxZone || shift > maxZone {
		return at
	}
	return at.Add(shift)
}

func distance(a, b audit.Time) time.Duration { return a.Sub(b).Abs() }
