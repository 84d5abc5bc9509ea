package analysistest

import (
	"context"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

var background = context.Background()

// A kept is an event with bytes of its own.
type kept struct {
	event    audit.Event
	selected bool
}

// keep copies an event.
func keep(e *audit.Event) kept {
	var buf []byte
	return kept{copyEvent(e, &buf), true}
}

// copyEvent returns a copy of e whose views stand in buf, which it makes anew
// if it is too small.
func copyEvent(e *audit.Event, buf *[]byte) audit.Event {
	c := *e
	c.Groups, c.SourceIPs, c.Annotations = slices.Clone(e.Groups), slices.Clone(e.SourceIPs), slices.Clone(e.Annotations)
	views := []*audit.View{&c.Name, &c.ObjectRV, &c.Message, &c.AuditID, &c.URI, &c.Raw}
	for i := range c.Annotations {
		views = append(views, &c.Annotations[i].Value)
	}
	size := 0
	for _, v := range views {
		size += len(*v)
	}
	if cap(*buf) < size {
		*buf = make([]byte, 0, 2*size)
	}
	*buf = (*buf)[:0]
	for _, v := range views {
		if *v == nil {
			continue
		}
		start := len(*buf)
		*buf = append(*buf, *v...)
		*v = (*buf)[start:len(*buf):len(*buf)]
	}
	return c
}

// A replayer shows events to shards as a decoder does: each in a buffer that
// is used again, so that a state that keeps a part of one is caught.
type replayer struct{ buf []byte }

func (r *replayer) observe(s *analysis.Shard, k *kept) {
	e := copyEvent(&k.event, &r.buf)
	s.Observe(&e, k.selected)
	for i := range r.buf {
		r.buf[i] = '!'
	}
	for _, list := range [][]audit.Sym{e.Groups, e.SourceIPs} {
		clear(list)
	}
	clear(e.Annotations)
	e.Reset()
}
