// Package parser turns bytes, in whatever shape they travel, into audit events.
//
// [Find] resolves what a user names into logs: a [Log] is a chain of rotated
// parts, a [Part] one file or pipe. A [Reader] hands out chunks of whole
// records to concurrent workers; each worker's [Decoder] turns the records of
// its chunk into events, one at a time:
//
//	files, pipes -> containers (gzip, zstd) -> chunks of lines or of documents
//	   -> records -> carriers, one in another (lists, prefixes, envelopes) -> fast or reference decoder
//
// Lines need no more than their ends; documents are followed by the grammar of
// JSON, which tells where the next record begins when one is broken. Which of
// the two a part is, its beginning tells.
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
