package events

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/kaudit/kaudit/report"
)

// raw writes events as they stand in the log, without what a carrier put around
// them, so that they can be read again. An event over several lines is put on one.
type raw struct {
	w     io.Writer
	lines int64
	buf   bytes.Buffer
}

func (r *raw) Write(row *Row) error {
	r.lines++
	line := row.Raw
	if bytes.IndexByte(line, '\n') >= 0 {
		r.buf.Reset()
		if err := json.Compact(&r.buf, line); err != nil {
			return err
		}
		line = r.buf.Bytes()
	}
	if _, err := r.w.Write(line); err != nil {
		return err
	}
	_, err := r.w.Write([]byte{'\n'})
	return err
}

func (r *raw) Close() error { return nil }
func (r *raw) Lines() int64 { return r.lines }

// records writes a JSON object a line.
type records struct {
	w     io.Writer
	lines int64
}

func (r *records) Write(row *Row) error {
	r.lines++
	text, err := marshal(row)
	if err != nil {
		return err
	}
	_, err = r.w.Write(append(text, '\n'))
	return err
}

func (r *records) Close() error { return nil }
func (r *records) Lines() int64 { return r.lines }

// marshal writes a record without making <, > and & unreadable, and without
// characters that a terminal obeys.
func marshal(row *Row) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(row.Record)
	return report.SafeJSON(bytes.TrimRight(b.Bytes(), "\n")), err
}

// list writes one JSON object that holds all records.
type list struct{ records }

func (l *list) Write(row *Row) error {
	begin := ",\n  "
	if l.lines == 0 {
		begin = listHead + "\n  "
	}
	text, err := marshal(row)
	if err != nil {
		return err
	}
	l.lines++
	_, err = l.w.Write(append([]byte(begin), text...))
	return err
}

const listHead = `{"apiVersion": "kaudit/v1", "kind": "Events", "events": [`

func (l *list) Close() error {
	end := "\n]}\n"
	if l.lines == 0 {
		end = listHead + "]}\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}
