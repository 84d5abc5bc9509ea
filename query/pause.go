package query

import "time"

// pause is how long repeats may be apart and still share a line, whatever their
// rhythm. A heartbeat that stops for longer becomes two lines, which shows the gap.
const pause = time.Minute

// Pause returns how long after the last repeat in a line another repeat still
// joins the line. longest is the longest time between two repeats so far: a
// client that backs off doubles its pauses, and adds at most half of them at
// random.
func Pause(longest time.Duration) time.Duration { return max(pause, longest*5/2) }
