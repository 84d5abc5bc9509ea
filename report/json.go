package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes the report as one indented object and a newline.
//
// Characters that a terminal would act on or that change the direction of text
// are written as escapes, which mean the same to every reader of JSON.
func JSON(w io.Writer, r *Report) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := w.Write(SafeJSON(text.Bytes()))
	return err
}

// SafeJSON escapes what is not printable in a text that encoding/json wrote, which
// has no control characters below U+0020 and outside of strings is ASCII. It also
// escapes U+FFFD: encoding/json escapes it where it stands for invalid UTF-8, but
// not where a text has it, and a report that is read and written again must not
// change.
func SafeJSON(text []byte) []byte {
	if !slices.ContainsFunc(text, func(b byte) bool { return b >= 0x7f }) {
		return text
	}
	safe := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf && r != 0x7f, printable(r) && r != utf8.RuneError:
			safe = append(safe, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, high, low)
		default:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		}
		text = text[size:]
	}
	return safe
}

// Read reads a report that JSON wrote.
func Read(in io.Reader) (*Report, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read a report: %w", err)
	}
	if isAuditLog(text) {
		return nil, ErrAuditLog
	}
	var r Report
	if at, err := decodeOne(text, &r); err != nil {
		return nil, fmt.Errorf("read a report: line %d: %w", 1+bytes.Count(text[:at], []byte{'\n'}), err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind {
		return nil, fmt.Errorf("read a report: it is a %q of %q, not a %s of %s", r.Kind, r.APIVersion, Kind, APIVersion)
	}
	for i := range r.Incidents {
		if in := &r.Incidents[i]; in.Severity.Rank() == 0 || in.Confidence.Rank() == 0 {
			return nil, fmt.Errorf("read a report: incident %q has the severity %q and the confidence %q", in.ID, in.Severity, in.Confidence)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity.Rank() == 0 || f.Confidence.Rank() == 0 {
			return nil, fmt.Errorf("read a report: finding %q has the severity %q and the confidence %q", f.ID, f.Severity, f.Confidence)
		}
		for name, value := range r.Findings[i].Details {
			r.Findings[i].Details[name] = plainNumbers(value)
		}
	}
	r.fill()
	return &r, nil
}

// ErrAuditLog is the error of Read for an audit log.
var ErrAuditLog = errors.New("read a report: this is an audit log")

// isAuditLog reports whether a text begins with an audit event or a list of
// them, as an API server writes them.
func isAuditLog(text []byte) bool {
	var first struct{ APIVersion string }
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&first)
	return err == nil && strings.HasPrefix(first.APIVersion, "audit.k8s.io/")
}

// yamlBegins matches the beginning of a report in YAML, with or without a document
// marker.
var yamlBegins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(---|apiVersion:)`) })

// decodeOne decodes a text that is one JSON value. at is the offset of an error.
func decodeOne(text []byte, v any) (at int64, err error) {
	if yamlBegins().Match(text) {
		return 0, errors.New("this is YAML, and a report is read as JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		at := int64(len(bytes.TrimRight(text, space)))
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = min(e.Offset, at)
		}
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = e.Offset
		}
		return at, err
	}
	if rest := bytes.TrimLeft(text[d.InputOffset():], space); len(rest) > 0 {
		return int64(len(text) - len(rest)), errors.New("there is more text after the report")
	}
	return 0, nil
}

// space is what may stand around a JSON value.
const space = " \t\r\n"

// plainNumbers turns each json.Number in v into an int64 or a float64. By itself
// encoding/json makes all of them float64, which can't hold large counts exactly.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil && !strings.HasPrefix(v.String(), "-0") {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}
