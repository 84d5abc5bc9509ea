// Package parser turns bytes, in whatever shape they travel, into audit events.
//
// [Find] resolves what a user names into logs: a [Log] is a chain of rotated
// parts, a [Part] one file or pipe. A [Reader] hands out chunks of whole
// records to concurrent workers; each worker's [Decoder] turns the records of
// its chunk into events, one at a time:
//
//	files, pipes -> package unpack -> chunks of lines or of documents
//	   -> records -> carriers, one in another (lists, prefixes, envelopes) -> fast or reference decoder
//
// Lines need no more than their ends; documents are followed by the grammar of
// JSON, which tells where the next record begins when one is broken. Which of
// the two a part is, its beginning tells.
//
// The fast decoder knows the order in which the API server writes fields, takes
// any other order too, and hands what it is unsure of (duplicate keys, escapes
// in keys, odd types, bodies that are no JSON) to the reference. It refuses
// nothing itself.
//
// A carrier is opened by its keys or by what stands before its text, and what it
// held is looked at again. What was seen before only says what to try first, so
// no two carriers may fit one text. A table, Cloud Logging's entries or an event
// that was cut off are put into an event's own words. Docker's and CRI's pieces
// are the one thing that reaches over lines, and a stack within 8 KiB behind its
// panic: no chunk ends inside of them.
//
// Plain files are read by the worker that asks, under a lock a chunk, so that
// the bytes are in the cache of the processor that decodes them; what must be
// unpacked or may block is read by goroutines beside, a bounded number of chunks
// ahead. Members of archives are known only when they have been read ([Expand]),
// one after the other. zip is read by the headers before its members, not by the
// directory at its end, which a pipe hands out last and a cut file has lost. How
// deep things nest and what they expand to is bounded, past what gzip can do to
// anything (1032 to 1).
//
// Nothing stops at a bad record: it is counted by kind, with its position. An
// input that ends early gives all that was readable, and then an error.
package parser

// Options say how to read. The zero value has the defaults.
type Options struct {
	// MaxLine is the longest record that is read, in bytes. A longer one is
	// counted as oversize and passed over. 0 is 64 MiB.
	MaxLine int
	// ChunkSize is how much is read at a time. 0 is 256 KiB: larger blocks
	// leave the processor's cache between reading and decoding.
	ChunkSize int
	// Ordered makes the reader hand out the chunks of all logs in order, one
	// part after another. Several workers know the order by Chunk.Seq.
	Ordered bool
	// Format forces a form or a carrier. A worker's Decoder must be told, too.
	Format Format
	// Long makes what is too long be handed out for Refusal.Raw, piece by piece.
	Long bool
	// Strict makes every event be decoded with Kubernetes' own types.
	Strict bool
}

const (
	defaultMaxLine   = 64 << 20
	defaultChunkSize = 256 << 10
)

func (o Options) withDefaults() Options {
	if o.MaxLine <= 0 {
		o.MaxLine = defaultMaxLine
	}
	if o.ChunkSize <= 0 {
		o.ChunkSize = defaultChunkSize
	}
	return o
}
