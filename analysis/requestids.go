package analysis

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A requestIDs is a sample of the requests that ended in a log: those whose audit IDs have
// the lowest hashes. Two logs with the same requests have the same sample, and share a
// part of it if one has more requests. So it shows which audit log an API server's own log
// belongs to, and by how much their clocks differ.
type requestIDs struct {
	Kept []endedRequest `json:"kept,omitempty"` // by hash
}

type endedRequest struct {
	Hash uint64     `json:"hash"`
	At   audit.Time `json:"at"`
}

// maxIDs is how many requests are kept: enough for two logs to share some even if one has
// a hundred times as many requests.
const maxIDs = 512

// idHash hashes the first and last bytes of an audit ID. It returns 0 for one that is too
// short to be a UUID. It is called for every event.
func idHash(id audit.View) uint64 {
	if len(id) < 16 {
		return 0
	}
	return tally.Mix(binary.LittleEndian.Uint64(id), binary.LittleEndian.Uint64(id[len(id)-8:]))
}

func (r *requestIDs) observe(e *audit.Event) {
	hash := idHash(e.AuditID)
	if hash == 0 || len(r.Kept) == maxIDs && hash > r.Kept[maxIDs-1].Hash {
		return
	}
	r.add(endedRequest{hash, e.At})
}

// zones divides all differences between the clocks of two zones.
const zones = audit.Time(15 * time.Minute / time.Microsecond)

// lineHash hashes what makes a line of httplog without an audit ID unique: what was asked
// and answered, how long it took, and when it ended, except for year and zone, which the
// line does not have. Both times are in microseconds.
func lineHash(e *audit.Event) uint64 {
	took := tally.Mix(uint64(e.At-e.Received), uint64(e.Code))
	return tally.Mix(tally.Mix(tally.HashBytes(e.URI), uint64(e.At%zones)), took)
}

// observeLine keeps a request of httplog that has no audit ID.
func (r *requestIDs) observeLine(e *audit.Event) {
	if idHash(e.AuditID) != 0 {
		return
	}
	if hash := lineHash(e); len(r.Kept) < maxIDs || hash <= r.Kept[maxIDs-1].Hash {
		r.add(endedRequest{hash, e.At})
	}
}

// add keeps a request. If an audit ID ends twice, since a client chose it or an aggregated
// API server shares it, the later end is kept.
func (r *requestIDs) add(one endedRequest) {
	kept, at, _ := tally.Least(r.Kept, maxIDs, one.Hash, func(k *endedRequest) uint64 { return k.Hash }, one)
	if r.Kept = kept; at != nil {
		at.At = max(at.At, one.At)
	}
}

func (r *requestIDs) merge(o *requestIDs) {
	for _, one := range o.Kept {
		r.add(one)
	}
}

// shared returns, sorted, how much later o has each of the requests that both hold.
func (r *requestIDs) shared(o *requestIDs) []time.Duration {
	var later []time.Duration
	for i, j := 0, 0; i < len(r.Kept) && j < len(o.Kept); {
		switch cmp.Compare(r.Kept[i].Hash, o.Kept[j].Hash) {
		case -1:
			i++
		case 1:
			j++
		default:
			later = append(later, o.Kept[j].At.Sub(r.Kept[i].At))
			i++
			j++
		}
	}
	slices.Sort(later)
	return later
}

// partOf reports whether o has most of the requests of r. Two API servers share but few:
// those that one handed on to the other.
func (r *requestIDs) partOf(o *requestIDs) bool {
	could := r.sharable(o)
	return could > 0 && 2*len(r.shared(o)) > could
}

// sharable returns how many of r's requests o would have kept if it had them all: past
// o's highest hash it has dropped its own.
func (r *requestIDs) sharable(o *requestIDs) int {
	if len(o.Kept) < maxIDs {
		return len(r.Kept)
	}
	last := o.Kept[maxIDs-1].Hash
	n, _ := slices.BinarySearchFunc(r.Kept, last+1, func(k endedRequest, hash uint64) int { return cmp.Compare(k.Hash, hash) })
	return n
}
