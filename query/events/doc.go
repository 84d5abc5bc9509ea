// Package events writes events one after another, as "kaudit events" shows
// them: lines made for reading, with repeats folded, or records for programs.
//
//	audit.Event -> Options.Pick -> a Row -> a Writer: text, JSON, JSON lines, raw
package events

import (
	"io"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// Options say how events are written.
type Options struct {
	Format string      // text, wide, json, jsonl or raw
	Stages bool        // text shows every stage of a request, not only its end
	All    bool        // text folds no repeats
	Look   report.Look // of text and wide, which adds where each event stands in the log
}

// A Row is what is kept of an event until it is written.
type Row struct {
	Record *query.Record // nil in the raw format
	Raw    []byte        // the event as it stands in the log; nil in other formats
}

// Pick returns the row of an event. ok is false if the event has none, since the
// text shows only ends of requests.
func (o *Options) Pick(e *audit.Event) (row Row, ok bool) {
	if o.Format == "raw" {
		return Row{Raw: append([]byte(nil), e.Raw...)}, true
	}
	if o.forReading() && !o.Stages && !ends(e) {
		return Row{}, false
	}
	return Row{Record: query.NewRecord(e)}, true
}

// forReading reports whether the events are lines for a person.
func (o *Options) forReading() bool { return o.Format == "text" || o.Format == "wide" }

// ends reports whether an event tells the end of its request. Of one that
// fails authentication the API server writes ResponseStarted alone.
func ends(e *audit.Event) bool {
	return e.Final() || e.Stage == audit.StageResponseStarted && e.Code == 401 && e.User == (audit.Sym{})
}

// A Writer writes rows in the order in which it gets them. It may hold back rows,
// to fold repeats, until Close.
type Writer interface {
	Write(*Row) error
	Close() error // writes the rest; it does not close what NewWriter was given
	Lines() int64 // how many lines there are so far, written or held back
}

// NewWriter returns a Writer of rows to w in the format of o.
func NewWriter(w io.Writer, o Options) Writer {
	switch o.Format {
	case "json":
		return &list{records: records{w: w}}
	case "jsonl":
		return &records{w: w}
	case "raw":
		return &raw{w: w}
	}
	return &text{w: w, options: o}
}
