package requesttimeout

import (
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// slack is how far a request that the timeout ended may lie from it, and how
// much earlier a client stops to wait: clocks are read at different places.
const slack = 100 * time.Millisecond

// inferTimeout returns the API server's request timeout: the shortest time after
// which several requests timed out, else the option.
func (s *State) inferTimeout(p *analysis.Pass) (timeout time.Duration, inferred bool) {
	var all []took
	for _, row := range s.Clients.Rows {
		if row.Value != nil {
			all = append(all, row.Value.Deadlines.Items...)
		}
	}
	slices.Sort(all)
	alike := max(2, p.Int(optAlike))
	for i := 0; i+alike <= len(all); i++ {
		first, last := float64(all[i]), float64(all[i+alike-1])
		if last <= first*(1+p.Float(optSpread)) {
			return round(time.Duration(all[i]), p.Float(optSpread)), true
		}
	}
	return p.Duration(optTimeout), false
}

// round returns the whole second that d is a little more than, or as little less
// as the time that a server spent which handed the request on; else d in
// milliseconds: nobody sets odd timeouts.
func round(d time.Duration, spread float64) time.Duration {
	whole := (d + slack/2).Truncate(time.Second)
	if whole > 0 && float64(d-whole) <= spread*float64(whole) {
		return whole
	}
	return d.Round(time.Millisecond)
}

// outlived returns how many of a client's requests that did not fail for it went
// on until the timeout, how many beyond it, and those of them that are kept.
func (c *Client) outlived(timeout time.Duration) (until, beyond int, kept []life) {
	for _, l := range c.Longest.Items {
		if l.Took < timeout-slack {
			return until, beyond, kept
		}
		kept = append(kept, l)
		if l.Took <= timeout+slack {
			until++
		} else {
			beyond++
		}
	}
	if !c.Longest.Whole() {
		beyond = max(beyond, int(c.Lasted.AtLeast(timeout+slack)))
	}
	return until, beyond, kept
}
