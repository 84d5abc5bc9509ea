package query

import "time"

// pause is how long repeats may be apart whatever their rhythm: a heartbeat that
// stops and comes back is two lines, and what stopped is seen.
const pause = time.Minute

// Pause returns how long after its last repeat a line still takes another one in.
// longest is the longest time between two so far: what backs off doubles its
// pauses, and spreads them by half at most.
func Pause(longest time.Duration) time.Duration { return max(pause, longest*5/2) }
