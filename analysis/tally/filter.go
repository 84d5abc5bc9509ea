package tally

// A Filter remembers names without keeping them: it forgets none, but may take a name for
// one that it has. Of 20,000 names it takes one in 2,000 others for its own, of 100,000 one
// in twelve. It takes 64 KiB; the zero Filter is empty, and takes nothing.
type Filter struct {
	Words []uint64 `json:"words,omitempty"`
}

const (
	filterWords = 8192 // of 64 bits
	filterMarks = 4    // bits of a name
)

// Add takes in a name.
func (f *Filter) Add(name string) {
	if f.Words == nil {
		f.Words = make([]uint64, filterWords)
	}
	for _, bit := range marks(name) {
		f.Words[bit/64] |= 1 << (bit % 64)
	}
}

// Has reports whether the name was added, or is taken for one that was.
func (f *Filter) Has(name string) bool {
	if f.Words == nil {
		return false
	}
	for _, bit := range marks(name) {
		if f.Words[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// Empty reports whether no name was added.
func (f *Filter) Empty() bool { return f.Words == nil }

// Merge takes in the names of o.
func (f *Filter) Merge(o *Filter) {
	if f.Words == nil && o.Words != nil {
		f.Words = make([]uint64, filterWords)
	}
	for i := range o.Words {
		f.Words[i] |= o.Words[i]
	}
}

// marks returns the bits of a name: two halves of its hash, added up in four ways.
func marks(name string) (bits [filterMarks]uint64) {
	hash := Hash(name)
	step := hash>>32 | 1
	for i := range bits {
		bits[i] = (hash + uint64(i)*step) % (64 * filterWords)
	}
	return bits
}
