package hotloop

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A counter is one of what is counted of a minute.
type counter uint64

const (
	writesOfObject    counter = iota // of an object
	conflictsOfClient                // of an object, by a user
	readsOfClient                    // of an object, by a user; one of oneRead
)

// There are 64 KiB of counters, and twice as much of seconds. The counters of a key
// lie in one line of the processor's cache.
const (
	blocks     = 1 << 10
	wordBlocks = 1 << 9
	ofBlock    = 32
	ofKey      = 4 // one in each quarter of a block
)

// Counts are how often something was done in each minute: a count-min sketch,
// whose size does not depend on what is counted. A key has four counters,
// which it shares with others; the smallest is nearly right. So
// the pace of any object can be asked for at any minute of a log of any length,
// once one of its requests has told its name.
//
// seconds are, in the same way, in which seconds of a minute a client wrote a
// part of an object, a bit each: a key has four words, and what stands in all of
// them is nearly right. So it is known who wrote after whom.
type Counts struct {
	of      [blocks][ofBlock]uint16
	seconds [wordBlocks][ofBlock]uint64
}

const microsOfMinute = 60_000_000

// minuteOf returns the minute in which a request began.
func minuteOf(t audit.Time) int64 {
	minute := int64(t) / microsOfMinute
	if int64(t)%microsOfMinute < 0 {
		minute--
	}
	return minute
}

// key names what is counted. user is zero where it does not matter.
func key(c counter, object uint64, user audit.Sym, minute int64) uint64 {
	k := tally.Mix(tally.Mix(object, uint64(minute)), uint64(c))
	if user != (audit.Sym{}) {
		k = tally.Mix(k, tally.Hash(user.String()))
	}
	return k
}

// count counts a request for a part of an object.
func (c *Counts) count(class class, object uint64, part audit.Sym, w writer, code int, began audit.Time) {
	minute := minuteOf(began)
	switch class {
	case aRead:
		c.add(key(readsOfClient, object, w.user, minute))
		return
	case aToken:
		return
	}
	c.add(key(writesOfObject, object, audit.Sym{}, minute))
	switch {
	case code == 409:
		c.add(key(conflictsOfClient, object, w.user, minute))
	case code < 300:
		c.wrote(object, part, w, began)
	}
}

func (c *Counts) add(key uint64) {
	block := &c.of[key%blocks]
	for i := range ofKey {
		if n := &block[place(key, i)]; *n < ^uint16(0) {
			*n++
		}
	}
}

// place returns where in its block the i-th counter of a key is.
func place(key uint64, i int) int {
	const quarter = ofBlock / ofKey
	return i*quarter + int(key>>(32+8*i))%quarter
}

// get returns how often the key was counted, or somewhat more.
func (c *Counts) get(key uint64) int {
	block := &c.of[key%blocks]
	least := block[place(key, 0)]
	for i := range ofKey {
		least = min(least, block[place(key, i)])
	}
	return int(least)
}

// partKey names a part of an object that a client writes, in a minute.
func partKey(object uint64, part audit.Sym, w writer, minute int64) uint64 {
	k := tally.Mix(object, uint64(minute))
	k = tally.Mix(k, tally.Hash(part.String()))
	return tally.Mix(tally.Mix(k, tally.Hash(w.user.String())), tally.Hash(w.agent.String()))
}

// wrote notes that a client wrote a part of an object, with success.
func (c *Counts) wrote(object uint64, part audit.Sym, w writer, began audit.Time) {
	minute := minuteOf(began)
	key, bit := partKey(object, part, w, minute), uint64(1)<<((int64(began)-minute*microsOfMinute)/1_000_000)
	block := &c.seconds[key%wordBlocks]
	for i := range ofKey {
		block[place(key, i)] |= bit
	}
}

// secondsOf returns the seconds in which the client wrote the part, or somewhat
// more: bit 0 is the minute's first.
func (c *Counts) secondsOf(object uint64, part audit.Sym, w writer, minute int64) uint64 {
	key := partKey(object, part, w, minute)
	block, seconds := &c.seconds[key%wordBlocks], ^uint64(0)
	for i := range ofKey {
		seconds &= block[place(key, i)]
	}
	return seconds
}

func (c *Counts) merge(o *Counts) {
	for i := range c.of {
		for j, n := range o.of[i] {
			c.of[i][j] += min(n, ^uint16(0)-c.of[i][j])
		}
	}
	for i := range c.seconds {
		for j, bits := range o.seconds[i] {
			c.seconds[i][j] |= bits
		}
	}
}

// usual returns the median of the counters: by so much does a count come out
// too high as a rule, since keys share counters.
func (c *Counts) usual() int {
	var of [1 << 12]int32 // by count; the last are more
	for i := range c.of {
		for _, n := range c.of[i] {
			of[min(int(n), len(of)-1)]++
		}
	}
	left := int32(blocks * ofBlock / 2)
	for n := range of {
		if left -= of[n]; left < 0 {
			return n
		}
	}
	return len(of)
}

// most returns the highest count of a few thousand keys that nothing was counted
// for: by so much does a count come out too high at most, but for very few.
func (c *Counts) most() (highest int) {
	const unused, keys = ^counter(0), 1 << 12
	for n := range int64(keys) {
		highest = max(highest, c.get(key(unused, 0, audit.Sym{}, n)))
	}
	return highest
}

// MarshalJSON writes the counters and the seconds as bytes, which JSON has in
// base64.
func (c *Counts) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, binary.Size(&c.of)+binary.Size(&c.seconds))
	raw, err := binary.Append(raw, binary.LittleEndian, &c.of)
	if err == nil {
		raw, err = binary.Append(raw, binary.LittleEndian, &c.seconds)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(raw)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var raw []byte
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if want := binary.Size(&c.of) + binary.Size(&c.seconds); len(raw) != want {
		return fmt.Errorf("read counters of hot-loop: %d bytes, want %d", len(raw), want)
	}
	n, err := binary.Decode(raw, binary.LittleEndian, &c.of)
	if err == nil {
		_, err = binary.Decode(raw[n:], binary.LittleEndian, &c.seconds)
	}
	return err
}
