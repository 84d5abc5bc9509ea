package audit

import "math/bits"

// Valid reports whether c has one bit of each group, as events have.
func (c Class) Valid() bool {
	for _, group := range classGroups {
		if bits.OnesCount64(uint64(c&group)) != 1 {
			return false
		}
	}
	return c&^Class(0).Any() == 0
}

// Len returns how many names the cache holds.
func (c *Syms) Len() int { return len(c.cache) }
