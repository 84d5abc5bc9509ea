package parser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kaudit/kaudit/audit"
)

// ErrNoEnd is the error of End for a log whose end can't be known beforehand.
var ErrNoEnd = errors.New("its end is not known before it is read")

// tailSize is how much of the end of a file is looked at for its last event:
// events stand out of order by some seconds at most.
const tailSize = 4 << 20

// errNoEvent is the error of a part in whose tail stands no event.
var errNoEvent = errors.New("no audit event near its end")

// End returns the latest stageTimestamp of the logs without reading them
// whole. It fails with ErrNoEnd on a pipe or where the last part is packed.
// What only lay in the same directory and turns out to be no log has no say.
func End(logs []*Log) (audit.Time, error) {
	var end audit.Time
	var none error
	for _, log := range logs {
		last := log.Parts[len(log.Parts)-1]
		if !last.plain() {
			return 0, fmt.Errorf("%s: %w", last.Name, ErrNoEnd)
		}
		at, err := last.end()
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

// Begin returns the stageTimestamp of the first event near the beginning of
// the logs' first part. It fails on a pipe, which can be read once only.
func Begin(log *Log) (audit.Time, error) {
	first := log.Parts[0]
	if first.in != nil || first.member || first.archive {
		return 0, fmt.Errorf("%s: it can be read once only", first.Name)
	}
	copied := &Part{Name: first.Name, packed: first.packed}
	r := NewReader([]*Log{{Name: log.Name, Parts: []*Part{copied}}}, Options{Ordered: true})
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

// end returns the latest stageTimestamp in the tail of a plain part.
func (p *Part) end() (audit.Time, error) {
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
	part := &Part{Name: p.Name, in: bytes.NewReader(tail)}
	r := NewReader([]*Log{{Name: p.Name, Parts: []*Part{part}}}, Options{})
	defer r.Close()
	var (
		end audit.Time
		c   Chunk
		d   Decoder
	)
	for r.Next(context.Background(), &c) == nil {
		for d.Reset(&c); d.Next(); {
			end = max(end, d.Event().At)
		}
	}
	if end == 0 {
		return 0, errNoEvent
	}
	return end, nil
}
