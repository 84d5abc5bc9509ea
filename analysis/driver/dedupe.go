package driver

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// A dedupe drops events that were read before. It remembers only events of times that
// two logs cover, since no others can be in both. Two events are the same if they have
// the same audit ID, stage, times and URI; a hash of 8 bytes is kept of each.
type dedupe struct {
	identity
	spans   []logSpan
	hashes  map[uint64]struct{}
	dropped int64
}

// An identity hashes what identifies an event. It is for one goroutine.
type identity struct {
	seed maphash.Seed
	buf  []byte
}

func (i *identity) of(e *audit.Event) uint64 {
	i.buf = append(i.buf[:0], e.AuditID...)
	i.buf = append(i.buf, 0, byte(e.Stage))
	i.buf = binary.LittleEndian.AppendUint64(i.buf, uint64(e.At))
	i.buf = binary.LittleEndian.AppendUint64(i.buf, uint64(e.Received))
	i.buf = append(i.buf, e.URI...)
	return maphash.Bytes(i.seed, i.buf)
}

// A logSpan is the time that a log covers; an end that is not known before the log
// is read is open.
type logSpan struct {
	log      string
	from, to audit.Time
}

// slack is by how much an event may be out of order in its log: some seconds, on an
// overloaded API server.
const slack = 10 * time.Second

func newDedupe(logs []*parser.Log) *dedupe {
	d := &dedupe{hashes: map[uint64]struct{}{}, identity: identity{seed: maphash.MakeSeed()}}
	for _, log := range logs {
		span := logSpan{log.Name, math.MinInt64, math.MaxInt64}
		if begin, err := parser.Begin(log); err == nil {
			span.from = begin.Add(-slack)
		}
		if end, err := parser.QuickEnd(log); err == nil {
			span.to = end.Add(slack)
		}
		d.spans = append(d.spans, span)
	}
	return d
}

// drop returns the events of a batch that were not read before. It moves the others
// behind them rather than overwrite them, since each event owns memory for its lists.
func (d *dedupe) drop(batch []audit.Event) []audit.Event {
	kept := 0
	for i := range batch {
		if !d.seen(&batch[i]) {
			batch[kept], batch[i] = batch[i], batch[kept]
			kept++
		}
	}
	return batch[:kept]
}

// seen reports whether the event was read before, and remembers it.
func (d *dedupe) seen(e *audit.Event) bool {
	if e.Origin != audit.OriginAudit || !d.shared(e) {
		return false
	}
	hash := d.of(e)
	if _, ok := d.hashes[hash]; ok {
		d.dropped++
		return true
	}
	d.hashes[hash] = struct{}{}
	return false
}

// shared reports whether another log covers the event's time.
func (d *dedupe) shared(e *audit.Event) bool {
	for _, span := range d.spans {
		if span.log != e.Log && span.from <= e.At && e.At <= span.to {
			return true
		}
	}
	return false
}
