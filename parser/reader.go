package parser

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kaudit/kaudit/parser/unpack"
)

// A Reader hands out the chunks of logs to any number of workers. Chunks of
// one part have ascending indexes, but come in no order that matters.
//
// Plain files are read by the worker that asks, with a lock held for one chunk:
// the bytes are then in the cache of the processor that decodes them. What must
// be unpacked, or may block, is read by other goroutines, a bounded number of
// chunks ahead.
//
// Note: mapping files into memory costs about twice the time of reading them,
// since each page faults once.
type Reader struct {
	opts Options

	mu      sync.Mutex
	waiting []*job    // plain parts not yet opened
	open    []*stream // plain parts being read

	pipes  []io.Closer // what goroutines may be waiting for
	packed chan *Chunk // of the goroutines; closed when all of them are done
	free   chan *Chunk // room to use again
	seq    int         // of the next chunk of an ordered reader, whose goroutine is one
	done   chan struct{}
	once   sync.Once
}

type job struct {
	log  *Log
	part *Part
}

// maxOpen is how many plain files are read side by side.
const maxOpen = 4

// NewReader returns a reader of the logs and starts to read those that must be
// unpacked. The caller must call Close.
func NewReader(logs []*Log, opts Options) *Reader {
	r := &Reader{
		opts:   opts.withDefaults(),
		packed: make(chan *Chunk, 2),
		free:   make(chan *Chunk, 8),
		done:   make(chan struct{}),
	}
	var packed []*job
	for _, log := range logs {
		for _, part := range log.Parts {
			j := &job{log, part}
			if part.plain() && !r.opts.Ordered {
				r.waiting = append(r.waiting, j)
			} else {
				packed = append(packed, j)
			}
		}
	}
	for _, j := range packed {
		if pipe, ok := j.part.in.(io.Closer); ok {
			r.pipes = append(r.pipes, pipe)
		}
	}
	r.unpackAll(packed)
	return r
}

// unpackAll reads parts in as many goroutines as there are processors.
func (r *Reader) unpackAll(jobs []*job) {
	var next atomic.Int64
	var running sync.WaitGroup
	abreast := min(len(jobs), runtime.GOMAXPROCS(0))
	if r.opts.Ordered {
		abreast = min(abreast, 1)
	}
	for range abreast {
		running.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) || !r.unpack(jobs[i]) {
					return
				}
			}
		})
	}
	go func() {
		running.Wait()
		close(r.packed)
	}()
}

// unpack hands on the chunks of a part. It reports false if the reader was
// closed meanwhile.
func (r *Reader) unpack(j *job) bool {
	raw, done, err := j.part.raw()
	if err != nil {
		j.part.fail(err)
		return true
	}
	defer done()
	x := new(unpack.Expansion)
	unpacked, err := unpack.Open(x.Count(raw), 0, x)
	j.part.wrapIn(unpacked.Layers...)
	if err != nil {
		j.part.fail(j.part.broken(err, 0))
		return true
	}
	defer unpacked.Close()
	if unpacked.Archive != nil {
		return r.openArchive(j.part, &unpacked, x)
	}
	return r.pump(j.part.stream(j.log, readHead(&unpacked), r.opts, func() {}), nil)
}

// pump hands on the chunks of a stream. It reports false if the reader was
// closed meanwhile. look, if there is one, sees each chunk before.
func (r *Reader) pump(s *stream, look func(*Chunk)) bool {
	for {
		var c *Chunk
		select {
		case c = <-r.free:
		default:
			c = new(Chunk)
		}
		if !s.next(c) {
			return true
		}
		if r.opts.Ordered {
			c.Seq = r.seq
			r.seq++
		}
		if look != nil {
			look(c)
		}
		select {
		case r.packed <- c:
		case <-r.done:
			s.close()
			return false
		}
	}
}

// Next fills c with a chunk that no other call gets. It returns io.EOF when
// there are no more, and the context's error once that is done. What c held
// before is no longer valid.
func (r *Reader) Next(ctx context.Context, c *Chunk) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case got, ok := <-r.packed:
		if ok {
			r.swap(c, got)
			return nil
		}
	default:
	}
	if r.nextPlain(c) {
		return nil
	}
	select {
	case got, ok := <-r.packed:
		if !ok {
			return io.EOF
		}
		r.swap(c, got)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// swap gives c what got holds, and keeps c's room for others.
func (r *Reader) swap(c, got *Chunk) {
	*c, *got = *got, *c
	select {
	case r.free <- got:
	default:
	}
}

// nextPlain fills c from a plain file. It reports false when all are read.
func (r *Reader) nextPlain(c *Chunk) bool {
	for {
		s := r.pick()
		if s == nil {
			return false
		}
		ok := s.next(c)
		if !ok {
			r.drop(s)
		}
		s.mu.Unlock()
		if ok {
			return true
		}
	}
}

// pick returns a locked stream: one that no other worker is reading, if there
// is one.
func (r *Reader) pick() *stream {
	for {
		r.mu.Lock()
		for len(r.open) < maxOpen && len(r.waiting) > 0 {
			j := r.waiting[0]
			r.waiting = r.waiting[1:]
			if s := j.part.open(j.log, r.opts); s != nil {
				r.open = append(r.open, s)
			}
		}
		for _, s := range r.open {
			if s.mu.TryLock() {
				r.mu.Unlock()
				return s
			}
		}
		if len(r.open) == 0 {
			r.mu.Unlock()
			return nil
		}
		s := r.open[0]
		r.mu.Unlock()
		s.mu.Lock()
		if !s.ended {
			return s
		}
		s.mu.Unlock()
	}
}

// drop forgets a stream, locked by the caller, that has ended.
func (r *Reader) drop(s *stream) {
	s.ended = true
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.open {
		if r.open[i] == s {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return
		}
	}
}

// Close stops reading and closes the pipes, including standard input, since a
// goroutine may be blocked on one. It must not be called during a call of Next.
func (r *Reader) Close() {
	r.once.Do(func() {
		close(r.done)
		for _, pipe := range r.pipes {
			pipe.Close()
		}
		for _, s := range r.open {
			s.close()
		}
	})
}
