package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// printValue writes v as JSON or YAML, with the names that its JSON has.
func printValue(w io.Writer, format string, v any) error {
	if format == "yaml" {
		text, err := yaml.MarshalWithOptions(v, yaml.UseJSONMarshaler(), yaml.IndentSequence(true))
		if err != nil {
			return fmt.Errorf("write YAML: %w", err)
		}
		_, err = w.Write(text)
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
