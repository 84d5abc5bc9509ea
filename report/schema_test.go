package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

const schemaFile = "../docs/report.schema.json"

// strictSchema is the schema with every object closed: a field that nobody
// has described fails here, though a reader may meet new ones.
func strictSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.schema.json", closed(v)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"]; ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closed(inner)
		}
	case []any:
		for _, inner := range v {
			closed(inner)
		}
	}
	return v
}

// validate checks a report, as JSON, against the schema.
func validate(t *testing.T, schema *jsonschema.Schema, text []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

func TestReportsAreAsTheSchemaSays(t *testing.T) {
	schema := strictSchema(t)
	for name, r := range map[string]*report.Report{
		"full":  synthetic(),
		"empty": report.New(report.Report{}, report.Options{}),
		"bare":  report.New(report.Report{Findings: synthetic().Findings[:1]}, report.Options{}),
	} {
		var out bytes.Buffer
		if err := report.JSON(&out, r); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, out.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReportsOfRecordedLogsAreAsTheSchemaSays(t *testing.T) {
	schema := strictSchema(t)
	logs, err := filepath.Glob("../fixtures/*")
	if err != nil {
		t.Fatal(err)
	}
	findings := 0
	for _, log := range logs {
		inputs := parser.Find([]string{log}, nil)
		if len(inputs.Logs) == 0 {
			continue // a file about the logs
		}
		result := driver.Run(t.Context(), inputs.Logs, driver.Options{Analyzers: analyzers.All()})
		r := report.New(report.Report{
			Input:    report.Input{Events: result.Input.Events, Skipped: result.Input.Skipped, First: result.Input.First, Last: result.Input.Last},
			Overview: result.Facts.Overview(), Notes: result.Facts.Notes(),
			Blind: result.Blind, Overflow: result.Overflow, Findings: result.Findings,
		}, report.Options{})
		findings += len(r.Findings)
		first := asJSON(t, r)
		if err := validate(t, schema, []byte(first)); err != nil {
			t.Errorf("%s: %v", log, err)
		}
		if second := asJSON(t, read(t, first)); second != first {
			t.Errorf("%s: write, read, write (-first +second):\n%s", log, cmp.Diff(first, second))
		}
	}
	if findings == 0 {
		t.Error("the recorded logs have no finding")
	}
}

func TestTheSchemaRefusesWhatIsNoReport(t *testing.T) {
	schema := strictSchema(t)
	var out bytes.Buffer
	if err := report.JSON(&out, synthetic()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, changed string }{
		{`"kaudit/v1"`, `"kaudit/v2"`},
		{`"severity": "critical"`, `"severity": "bad"`},
		{`"confidence": "confirmed"`, `"confidence": "sure"`},
		{`"partial": false`, `"partial": "no"`},
		{`"2026-03-02T12:00:10.000000Z"`, `"12:00"`},
		{`"line": 101`, `"line": 0`},
		{`"blind": [`, `"blinded": [`},
	} {
		text := strings.Replace(out.String(), c.old, c.changed, 1)
		if text == out.String() {
			t.Fatalf("the report has no %s", c.old)
		}
		if err := validate(t, schema, []byte(text)); err == nil {
			t.Errorf("a report with %s is valid", c.changed)
		}
	}
}

func TestTheSchemaDescribesNothingThatIsNotThere(t *testing.T) {
	var out bytes.Buffer
	if err := report.JSON(&out, synthetic()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	eachProperty(schema, func(name string) {
		if !strings.Contains(out.String(), `"`+name+`":`) {
			t.Errorf("the schema has a field %q that a full report lacks", name)
		}
	})
}

func eachProperty(v any, visit func(name string)) {
	switch v := v.(type) {
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			for name := range properties {
				visit(name)
			}
		}
		for _, inner := range v {
			eachProperty(inner, visit)
		}
	case []any:
		for _, inner := range v {
			eachProperty(inner, visit)
		}
	}
}
