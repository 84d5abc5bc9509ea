package parser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// ErrNoEnd is the error of End for a log that can be read once only, and of
// QuickEnd for one that must be unpacked, too.
var ErrNoEnd = errors.New("its end is not known before it is read")

// tailSize is how much of the end of a part is looked at for its last event:
// events stand out of order by some seconds at most.
const tailSize = 4 << 20

// errNoEvent is the error of a part at whose end stands no event.
var errNoEvent = errors.New("no audit event near its end")

// QuickEnd returns the latest stageTimestamp of a log if its newest part is a
// plain file, of which it reads only the end. Unlike End, it takes the time of
// a wrong clock for true.
func QuickEnd(log *Log) (audit.Time, error) {
	last := log.Parts[len(log.Parts)-1]
	if !last.plain() {
		return 0, fmt.Errorf("%s: %w", last.Name, ErrNoEnd)
	}
	at, err := last.tailEnd(Options{}, furthest)
	if err == errNoEvent {
		err = fmt.Errorf("%s: %w", last.Name, err)
	}
	return at, err
}

// End returns the latest stageTimestamp of the logs, except for times that a
// wrong clock has put after all others. It reads the end of a plain file; what
// is packed or not made of lines it reads once more as a whole, decoding only
// the end. Files that were found in a directory and turn out to be no logs do
// not count. It fails with ErrNoEnd on a pipe, and with the context's error
// when that is done.
func End(ctx context.Context, logs []*Log, opts Options) (audit.Time, error) {
	for _, log := range logs {
		if last := log.Parts[len(log.Parts)-1]; last.in != nil {
			return 0, fmt.Errorf("%s: %w", last.Name, ErrNoEnd)
		}
	}
	var end audit.Time
	var none error
	for _, log := range logs {
		last := log.Parts[len(log.Parts)-1]
		at, err := last.end(ctx, opts)
		switch {
		case err == errNoEvent:
			none = fmt.Errorf("%s: %w", last.Name, err)
		case err != nil:
			return 0, err
		}
		end = max(end, at)
	}
	if end == 0 {
		return 0, none
	}
	return end, nil
}

// end returns the latest stageTimestamp near the end of a file.
func (p *Part) end(ctx context.Context, opts Options) (audit.Time, error) {
	if p.plain() {
		at, err := p.tailEnd(opts, audit.Latest)
		if err != errNoEvent || p.size <= tailSize {
			return at, err
		}
	}
	return lastEvent(ctx, p.again(), opts, audit.Latest)
}

// again returns the part as it was before it was read. It must be a file.
func (p *Part) again() *Part {
	return &Part{Name: p.Name, Named: p.Named, only: p.only, size: p.size, container: p.container, packed: p.packed, archive: p.archive}
}

// tailEnd returns the latest stageTimestamp in the tail of a plain part.
func (p *Part) tailEnd(opts Options, latest latest) (audit.Time, error) {
	file, err := os.Open(p.Name)
	if err != nil {
		return 0, plainError(err)
	}
	defer file.Close()
	from := max(p.size-tailSize, 0)
	tail, err := io.ReadAll(io.NewSectionReader(file, from, p.size-from))
	if err != nil {
		return 0, plainError(err)
	}
	if from > 0 {
		if _, rest, ok := bytes.Cut(tail, []byte("\n")); ok {
			tail = rest // the first line is the end of one
		}
	}
	end := &Part{Name: p.Name, in: bytes.NewReader(tail), written: p.lastWrite().Std()}
	return lastEvent(context.Background(), end, opts, latest)
}

// lastEvent returns the latest stageTimestamp near the end of a part, or of the
// members of one that is an archive. It reads it whole, and decodes the end.
func lastEvent(ctx context.Context, p *Part, opts Options, latest latest) (audit.Time, error) {
	opts.Ordered = true
	r := NewReader([]*Log{{Name: p.Name, Parts: []*Part{p}}}, opts)
	defer r.Close()
	t := tail{latest: latest}
	t.decoder = Decoder{Strict: opts.Strict, Only: opts.Format.Only(), OwnLog: true}
	for {
		c := t.room()
		switch err := r.Next(ctx, c); {
		case ctx.Err() != nil:
			return 0, err
		case err != nil: // the end, or damage, which will be told when it is read
			t.decode()
			return t.end()
		}
		if len(t.chunks) > 0 && t.chunks[0].Part != c.Part {
			t.decode()
		}
		t.add(c)
	}
}

// A tail is the last chunks of a part, of tailSize or a little more, and what
// was found in the tails of those before.
type tail struct {
	chunks []*Chunk // oldest first
	size   int
	free   []*Chunk

	decoder     Decoder
	latest      latest
	events, own audit.Time // the latest
}

// A latest returns the latest of times, or 0 if there are none; it may sort
// them. [audit.Latest] leaves out those of wrong clocks.
type latest func([]audit.Time) audit.Time

// furthest leaves out none.
func furthest(times []audit.Time) audit.Time {
	if len(times) == 0 {
		return 0
	}
	return slices.Max(times)
}

// room returns a chunk to read into.
func (t *tail) room() *Chunk {
	if n := len(t.free); n > 0 {
		c := t.free[n-1]
		t.free = t.free[:n-1]
		return c
	}
	return new(Chunk)
}

// add adds a chunk and drops those that are too far from the end.
func (t *tail) add(c *Chunk) {
	t.chunks = append(t.chunks, c)
	t.size += len(c.Data)
	for t.size-len(t.chunks[0].Data) >= tailSize {
		t.size -= len(t.chunks[0].Data)
		t.free = append(t.free, t.chunks[0])
		t.chunks = t.chunks[1:]
	}
}

// decode looks for the latest time in the chunks, and forgets them.
func (t *tail) decode() {
	var events, own []audit.Time
	for _, c := range t.chunks {
		for t.decoder.Reset(c); t.decoder.Next(); {
			times := &own
			if e := t.decoder.Event(); e.Origin == audit.OriginAudit {
				times = &events
			}
			*times = append(*times, t.decoder.Event().At)
		}
	}
	t.events, t.own = max(t.events, t.latest(events)), max(t.own, t.latest(own))
	t.free, t.chunks, t.size = append(t.free, t.chunks...), nil, 0
}

// end returns the latest time of the events, or of lines of an own log where
// there are none.
func (t *tail) end() (audit.Time, error) {
	switch {
	case t.events != 0:
		return t.events, nil
	case t.own != 0:
		return t.own, nil
	}
	return 0, errNoEvent
}

// Begin returns the stageTimestamp of the first event near the beginning of
// the logs' first part. It fails on a pipe, which can be read once only.
func Begin(log *Log) (audit.Time, error) {
	first := log.Parts[0]
	if first.in != nil || first.member || first.archive {
		return 0, fmt.Errorf("%s: it can be read once only", first.Name)
	}
	r := NewReader([]*Log{{Name: log.Name, Parts: []*Part{first.again()}}}, Options{Ordered: true})
	defer r.Close()
	var (
		c Chunk
		d Decoder
	)
	for r.Next(context.Background(), &c) == nil {
		for d.Reset(&c); d.Next(); {
			return d.Event().At, nil
		}
	}
	return 0, fmt.Errorf("%s: no audit event in it", first.Name)
}
