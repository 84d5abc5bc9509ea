// Package driver runs analyzers over logs: N workers, each decoding chunks and
// feeding one shard. It is the only place, beside the parser's unpacking, where
// anything runs concurrently.
//
//	logs -> parser.Reader -> N x (parser.Decoder -> analysis.Feed) -> analysis.Shard -> Result
//
// [Run] needs no order of events. [Stream] is for lists of events, which do: it hands
// them on in order of time while it reads.
package driver

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// Options say how to run, and what to look at.
type Options struct {
	Workers   int // 0 is one per processor
	Parser    parser.Options
	Analyzers []*analysis.Analyzer
	Settings  analysis.Settings // of the analyzers' options

	// Select, if set, is called once per worker. It returns the function that chooses
	// the events that the analyzers see. The facts of the log come from all events.
	Select func() func(*audit.Event) bool

	// Observe, if set, takes the place of the analyzers and the facts. It is called
	// once per worker, and returns the function that is called with each event that
	// Select chooses. Which worker gets an event, and when, is chance; the caller must
	// merge what the workers' functions saw.
	Observe func() func(*audit.Event)

	// OwnLog makes Observe also get events from API servers' and kubelets' own logs.
	// Analyzers always get them.
	OwnLog bool

	// batch, if set, takes the place of Observe. ended is called at the end of each
	// chunk.
	batch func() (observe func(*audit.Event), ended func(*parser.Chunk))

	// openings, if set, are the first events of all logs, to find overlaps. Stream
	// sets them, since each of its runs reads only one log.
	openings parser.Openings

	// Dedupe drops events that were read before. It reads the logs one after another,
	// so that the first copy by name and position is kept, and remembers 8 bytes for
	// each event of a time that two logs cover.
	Dedupe bool

	// Rejects, if set, gets the refused lines, unchanged and in the order of the logs,
	// which are then read one after another. A line that is too long comes in pieces.
	Rejects io.Writer

	// Examples keeps the first refused record of each source and kind.
	Examples bool

	// Progress, if set, is called from time to time, by one worker at a time.
	Progress func(Progress)

	// Peek, if set, is called with what would be found if the logs ended there, by one
	// worker at a time, once in PeekEvery or less often: it takes at most about a
	// twentieth of the time.
	Peek      func([]analysis.Finding)
	PeekEvery time.Duration
}

// A Progress says how much has been read so far.
type Progress struct{ Events, Bytes int64 }

// A Result is what a run has found.
type Result struct {
	Facts    *analysis.Facts    // nil of a Stream
	Findings []analysis.Finding // in canonical order; lines of their evidence count from 1
	Blind    []analysis.Blind
	Overflow map[string]int // by analyzer, about how many states or findings were dropped
	Input    Input
	Partial  bool // the context was done before the logs' end
}

// Run reads the logs to their end, or until the context is done, and returns what was
// found in what was read. Errors of inputs are in the Result.
func Run(ctx context.Context, logs []*parser.Log, o Options) *Result {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	shared := &shared{
		shard: analysis.NewShard(o.Analyzers), parts: map[*parser.Part]*work{},
		peek: peek{every: o.PeekEvery, tell: o.Peek},
	}
	if o.Dedupe {
		// Which copy is the first must not depend on which worker is faster.
		o.Workers, o.Parser.Ordered = 1, true
		shared.dedupe = newDedupe(logs)
	}
	if !o.Dedupe && o.openings == nil {
		o.openings = parser.OpeningsOf(logs)
	}
	if o.Rejects != nil {
		o.Parser.Ordered, o.Parser.Long = true, true
		shared.rejects = newRejects(o.Rejects)
	}
	shared.options = o
	workers := shared.read(ctx, logs)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { shared.late.Store(true) }) })
	defer stop()
	return shared.result(logs, workers)
}

// read reads the logs to their end, or until the context is done, and returns the
// workers with what they know. It frees the memory that only reading needs.
func (s *shared) read(ctx context.Context, logs []*parser.Log) []*worker {
	reader := parser.NewReader(logs, s.options.Parser)
	defer reader.Close()
	workers := make([]*worker, s.options.Workers)
	var running sync.WaitGroup
	for i := range workers {
		w := newWorker(s)
		workers[i] = w
		running.Go(func() {
			w.err = w.run(ctx, reader)
			w.feed, w.decoder = nil, nil
		})
	}
	running.Wait()
	return workers
}

// patience is how long findings may still be made after the context is done: a user
// who interrupts a run wants what is known so far, and soon.
const patience = time.Second / 2

// shared is what the workers of a run have in common.
type shared struct {
	options Options
	shard   *analysis.Shard
	dedupe  *dedupe     // nil unless asked for; then there is only one worker
	rejects *rejects    // nil unless asked for
	late    atomic.Bool // patience is over
	peek    peek

	mu       sync.Mutex
	parts    map[*parser.Part]*work
	progress Progress
}

// advance takes in what a chunk held, and reports progress.
func (s *shared) advance(chunk *parser.Chunk, stats *parser.ChunkStats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parts[chunk.Part] == nil {
		s.parts[chunk.Part] = new(work)
	}
	s.parts[chunk.Part].add(chunk, stats)
	if s.options.Progress == nil {
		return
	}
	s.progress.Events += stats.Events
	s.progress.Bytes += stats.Bytes
	s.options.Progress(s.progress)
}

// A worker decodes chunks and gives the events to the shard.
type worker struct {
	shared      *shared
	feed        *analysis.Feed
	chosen      []bool                  // which events of the batch are selected
	selects     func(*audit.Event) bool // nil for all events
	observe     func(*audit.Event)      // nil if the shard observes
	ended       func(*parser.Chunk)     // called at the end of each chunk, or nil
	decoder     *parser.Decoder
	refused     []refused // the first few of each kind and part
	roomRefused int       // how many refused may be before they are trimmed

	part     *parser.Part // being read
	examples map[exampleKey]refused
	rejects  []byte // refused lines of the chunk being read

	overlaps map[Overlap]bool
	selected int64 // how many events were selected
	err      error // why it stopped before the end, or nil
}

func newWorker(s *shared) *worker {
	w := &worker{
		shared: s, feed: s.shard.NewFeed(),
		decoder: &parser.Decoder{Strict: s.options.Parser.Strict, Only: s.options.Parser.Format.Only()},
	}
	w.watchRefusals()
	if s.options.Select != nil {
		w.selects = s.options.Select()
	}
	w.decoder.OwnLog = s.options.OwnLog || s.options.Observe == nil && s.options.batch == nil // a shard knows what to do with it
	if s.options.Observe != nil {
		w.observe = s.options.Observe()
	}
	if s.options.batch != nil {
		w.observe, w.ended = s.options.batch()
	}
	return w
}

func (w *worker) run(ctx context.Context, reader *parser.Reader) error {
	var chunk parser.Chunk
	stop := func() bool { return ctx.Err() != nil }
	for {
		err := reader.Next(ctx, &chunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		w.read(&chunk)
		w.shared.peek.look(w.shared.shard, w.shared.options.Settings, stop)
	}
}

// take hands the events of a batch that are selected to the observer or the shard.
func (w *worker) take(batch []audit.Event) {
	if dedupe := w.shared.dedupe; dedupe != nil {
		batch = dedupe.drop(batch)
	}
	w.chosen = w.chosen[:0]
	if w.shared.options.openings != nil {
		w.findOverlaps(batch)
	}
	for i := range batch {
		e := &batch[i]
		selected := w.selects == nil || w.selects(e)
		if selected && e.Origin == audit.OriginAudit {
			w.selected++
		}
		if selected && w.observe != nil {
			w.observe(e)
		}
		w.chosen = append(w.chosen, selected)
	}
	if w.observe == nil {
		w.feed.Observe(batch, w.chosen)
	}
}

// read observes the events of a chunk.
func (w *worker) read(chunk *parser.Chunk) {
	w.part = chunk.Part
	w.decoder.Reset(chunk)
	for batch := w.decoder.Batch(); len(batch) > 0; batch = w.decoder.Batch() {
		w.take(batch)
	}
	stats := w.decoder.Stats()
	for _, r := range stats.Refused {
		w.refused = append(w.refused, refused{part: chunk.Part, at: r})
	}
	w.trimRefused()
	if w.shared.rejects != nil {
		w.shared.rejects.write(chunk.Seq, w.rejects)
		if w.rejects = w.rejects[:0]; cap(w.rejects) > mostRejects {
			w.rejects = nil
		}
	}
	w.shared.advance(chunk, &stats)
	if w.ended != nil {
		w.ended(chunk)
	}
}
