package requesttimeout

import (
	"iter"
	"math/bits"
)

// A rows is a map from hashes of requests to their beginnings. It is one since
// all events of a log are looked up in it, which a map of Go takes twice as long
// for: a row is sought once, by bits that are random already.
type rows struct {
	slots []row // a power of two, at most three quarters of them taken
	n     int
}

// A row is a request.
type row struct {
	hash uint64 // 0 is none
	b    *begun
}

// at returns the row of a hash, which is not 0, and whether it was there. It is valid until the
// next call.
func (r *rows) at(hash uint64) (at *row, found bool) {
	if 4*(r.n+1) > 3*len(r.slots) {
		r.grow()
	}
	mask := uint64(len(r.slots) - 1)
	for i := home(hash) & mask; ; i = (i + 1) & mask {
		switch at = &r.slots[i]; at.hash {
		case hash:
			return at, true
		case 0:
			at.hash = hash
			r.n++
			return at, false
		}
	}
}

// take removes the row of a hash, and returns what it held: nil if it was not
// there.
func (r *rows) take(hash uint64) *begun {
	if len(r.slots) == 0 {
		return nil
	}
	mask := uint64(len(r.slots) - 1)
	for i := home(hash) & mask; r.slots[i].hash != 0; i = (i + 1) & mask {
		if r.slots[i].hash == hash {
			b := r.slots[i].b
			r.remove(int(i))
			return b
		}
	}
	return nil
}

// home returns where a hash is sought first: hashBits leaves out the bits below.
func home(hash uint64) uint64 { return hash >> 16 }

func (r *rows) grow() {
	old := r.slots
	r.slots, r.n = make([]row, max(64, 2*len(old))), 0
	for _, row := range old {
		if row.hash != 0 {
			at, _ := r.at(row.hash)
			at.b = row.b
		}
	}
}

// lower drops all rows whose hashes have fewer leading zeros.
func (r *rows) lower(halve int) {
	for i := 0; i < len(r.slots); {
		if hash := r.slots[i].hash; hash == 0 || bits.LeadingZeros64(hash) >= halve {
			i++
			continue
		}
		r.remove(i) // another may take its place
	}
}

// remove empties a slot, and moves up those that had to pass it.
func (r *rows) remove(free int) {
	mask := len(r.slots) - 1
	for i := free; ; {
		i = (i + 1) & mask
		hash := r.slots[i].hash
		if hash == 0 {
			break
		}
		if home := int(home(hash)) & mask; (i-home)&mask >= (i-free)&mask {
			r.slots[free] = r.slots[i]
			free = i
		}
	}
	r.slots[free] = row{}
	r.n--
}

// all yields the rows in no order.
func (r *rows) all() iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, row := range r.slots {
			if row.hash != 0 && !yield(row) {
				return
			}
		}
	}
}
