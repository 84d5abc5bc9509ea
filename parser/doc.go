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
// A part is cut into lines or, if it is a document (JSON values over several
// lines, or in a list), into values. Its beginning decides which. Documents are
// followed by the grammar of JSON, which shows where the next record begins when
// one is broken.
//
// The fast decoder knows the order in which the API server writes fields, takes
// any other order too, and hands what it is unsure of (duplicate keys, escapes
// in keys, odd types, bodies that are no JSON) to the reference. It refuses
// nothing itself.
//
// A carrier is whatever a log shipper, an API or a program put around an event.
// It is opened by its keys or by what stands before its text, and what it held is
// looked at in the same way. Earlier records only decide what is tried first, so
// no two carriers may fit the same text. What tells an event in other words (a
// row of a table, an entry of Cloud Logging, an event that was cut off) is
// rewritten as an event. Only two things reach over several lines: the pieces
// that Docker and CRI cut lines into, and the stack within 8 KiB behind a panic.
// No chunk ends inside of them.
//
// Plain files are read by the worker that asks for a chunk, so that the bytes are
// in the cache of the processor that decodes them. What must be unpacked or may
// block is read by other goroutines, a bounded number of chunks ahead. Members of
// archives are known only after they have been read, one after the other; see
// [Expand]. How deep archives nest and what they unpack to is bounded.
//
// A bad record stops nothing: it is counted by kind, with its position. A damaged
// input yields all that was readable, and then an error.
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
	// Format forces a form or a carrier. See also Decoder.Only.
	Format Format
	// Long hands out records that are too long, in pieces, for Refusal.Raw.
	Long bool
	// Strict decodes every event with Kubernetes' own types. See also
	// Decoder.Strict.
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
