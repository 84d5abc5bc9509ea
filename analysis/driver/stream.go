package driver

import (
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// A Picked is what pick made of one event, with the event's time and place.
type Picked[T any] struct {
	At     audit.Time
	Source string
	Line   int // of the file, from 1
	Value  T

	hash uint64 // identifies the event, to find copies; see identity
}

// A Streaming says how Stream orders what it hands on.
type Streaming struct {
	// ByTime hands on the events of all logs in order of time, for which the logs are
	// read side by side. Without it events come as they stand, one log after another.
	ByTime bool
}

// A Streamed is the result of a Stream.
type Streamed struct {
	*Result
	Handed int64 // events that were handed on
	Late   int64 // those of Handed that came too late to be put in order

	// Pressed is set if an archive has more events than can wait for its other logs:
	// these may hold earlier ones than were handed on.
	Pressed bool
}

// Stream reads logs and hands what pick makes of the selected events to emit, in order
// and while it reads. It never holds more than a few chunks and maxWaiting events. pick
// is called once a worker; the function that it returns may leave events out. Stream
// ends when emit returns false.
//
// Each log has workers of its own, and a lane in which their chunks wait for their turn.
func Stream[T any](ctx context.Context, logs []*parser.Log, o Options, how Streaming,
	pick func() func(*audit.Event) (T, bool), emit func(*Picked[T]) bool,
) *Streamed {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var seed *maphash.Seed // to find copies with
	if o.Dedupe {
		seed = new(maphash.Seed)
		*seed = maphash.MakeSeed()
	}
	lanes, wait := sideBySide(inner, logs, o, pick, seed)
	streamed := &Streamed{}
	archived := slices.ContainsFunc(logs, (*parser.Log).Archived)
	line := &queue[T]{
		emit: emit, dedupe: seed != nil, streamed: streamed,
		sorts: how.ByTime, endless: archived, patient: archived && how.ByTime,
	}
	enough := !line.drain(lanes, how.ByTime || seed != nil)
	stop()
	streamed.Result = joinResults(wait())
	if enough {
		streamed.Partial = ctx.Err() != nil
	}
	if seed != nil {
		streamed.Input.Duplicates = &line.dropped
	}
	return streamed
}

// sideBySide begins to read each log into a lane of its own, with its share of the workers.
// wait returns the results when all are read, or ctx has ended.
func sideBySide[T any](ctx context.Context, logs []*parser.Log, o Options, pick func() func(*audit.Event) (T, bool), seed *maphash.Seed,
) (lanes []*lane[T], wait func() []*Result) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = max(1, o.Workers/max(1, len(logs)))
	o.Parser.Ordered = true
	if !o.Dedupe {
		o.openings = parser.OpeningsOf(logs)
	}
	o.Dedupe = false // Run's way of it reads one log after another; the queue finds copies here
	lanes = make([]*lane[T], len(logs))
	results := make([]*Result, len(logs))
	var running sync.WaitGroup
	meter := &progressSum{tell: o.Progress}
	for i, log := range logs {
		l := newLane[T](ctx)
		lanes[i] = l
		options := o
		options.batch = l.worker(pick, seed)
		options.Progress = meter.part()
		running.Go(func() {
			defer close(l.out)
			results[i] = Run(ctx, []*parser.Log{log}, options)
		})
	}
	return lanes, func() []*Result {
		running.Wait()
		return results
	}
}

// A lane holds what was picked of one log, in batches and in the log's order.
type lane[T any] struct {
	ctx context.Context
	out chan []Picked[T]

	mu    sync.Mutex
	moved *sync.Cond
	turn  int // the Seq of the chunk that may go

	batch []Picked[T] // being drained
}

func newLane[T any](ctx context.Context) *lane[T] {
	l := &lane[T]{ctx: ctx, out: make(chan []Picked[T], 2)}
	l.moved = sync.NewCond(&l.mu)
	return l
}

// worker returns an Options.batch: for each worker, what picks of the events of a chunk,
// and what hands on what was picked when it is the chunk's turn.
func (l *lane[T]) worker(pick func() func(*audit.Event) (T, bool), seed *maphash.Seed) func() (func(*audit.Event), func(*parser.Chunk)) {
	return func() (func(*audit.Event), func(*parser.Chunk)) {
		choose := pick()
		var id identity
		if seed != nil {
			id.seed = *seed
		}
		var batch []Picked[T]
		observe := func(e *audit.Event) {
			value, ok := choose(e)
			if !ok {
				return
			}
			p := Picked[T]{At: e.At, Source: e.Source, Line: e.Line + 1, Value: value}
			if seed != nil {
				p.hash = id.of(e)
			}
			batch = append(batch, p)
		}
		return observe, func(c *parser.Chunk) {
			l.hand(c, batch)
			batch = nil
		}
	}
}

// hand waits for a chunk's turn and puts what was picked of it into the lane.
func (l *lane[T]) hand(c *parser.Chunk, batch []Picked[T]) {
	l.mu.Lock()
	for l.turn != c.Seq {
		l.moved.Wait()
	}
	l.mu.Unlock()
	if len(batch) > 0 {
		select {
		case l.out <- batch:
		case <-l.ctx.Done():
		}
	}
	l.mu.Lock()
	l.turn++
	l.moved.Broadcast()
	l.mu.Unlock()
}

// head returns the next event of the lane, or nil at its end.
func (l *lane[T]) head() *Picked[T] {
	for len(l.batch) == 0 {
		batch, ok := <-l.out
		if !ok {
			return nil
		}
		l.batch = batch
	}
	return &l.batch[0]
}

// A progressSum reports the progress of several runs as that of one.
type progressSum struct {
	tell func(Progress)

	mu  sync.Mutex
	sum Progress
}

// part returns the Options.Progress of one run.
func (s *progressSum) part() func(Progress) {
	if s.tell == nil {
		return nil
	}
	var last Progress
	return func(p Progress) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sum.Events += p.Events - last.Events
		s.sum.Bytes += p.Bytes - last.Bytes
		last = p
		s.tell(s.sum)
	}
}
