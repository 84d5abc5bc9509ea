package main

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/kaudit/kaudit/report"
)

// printValue writes v as JSON or YAML, with the names that its JSON has. Text
// of the log that a terminal would obey is escaped.
func printValue(w io.Writer, format string, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	safe := report.SafeJSON(text.Bytes())
	if format == "yaml" {
		return report.JSONToYAML(w, bytes.NewReader(safe))
	}
	_, err := w.Write(safe)
	return err
}
