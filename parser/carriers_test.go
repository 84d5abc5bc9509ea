package parser

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestEveryCarrierIsOpened reads testdata/carriers: an input, in which
// @event:a@ stands for the event a and @string:a@ for the JSON text of it, and
// what is wanted: each event's ID and line, its label; each refusal's kind and
// line; at last the shape. Whatever the size of chunks, it is the same.
func TestEveryCarrierIsOpened(t *testing.T) {
	for name, sections := range carrierCases(t) {
		input := filled(sections["input"], event)
		want := strings.Split(strings.TrimSpace(sections["want"]), "\n")
		shape := want[len(want)-1]
		for _, size := range []int{1, 100, 700, 1 << 20} {
			got, format := carried(t, input, size)
			if wanted := slices.Sorted(slices.Values(want[:len(want)-1])); cmp.Diff(wanted, got) != "" {
				t.Errorf("%s, chunks of %d:\n%s", name, size, cmp.Diff(wanted, got))
			}
			if format != shape {
				t.Errorf("%s, chunks of %d: the format is %s, want %s", name, size, format, shape)
			}
		}
	}
}

// carrierCases returns the sections of each file of testdata/carriers.
func carrierCases(t testing.TB) map[string]map[string]string {
	t.Helper()
	cases := map[string]map[string]string{}
	files, err := filepath.Glob("testdata/carriers/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		cases[name] = map[string]string{}
		for _, section := range archive.Files {
			cases[name][section.Name] = string(section.Data)
		}
	}
	return cases
}

var placeholder = regexp.MustCompile(`@([a-z]+):([a-z]+)@`)

// filled puts events in place of what stands for them.
func filled(text string, event func(id string) string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		return written(m[1], event(m[2]))
	})
}

// written writes an event as a carrier does.
func written(how, event string) string {
	half := len(event) / 2
	switch how {
	case "event":
		return event
	case "head":
		return event[:half]
	case "tail":
		return event[half:]
	case "string":
		return quoted(event)
	case "line":
		return quoted(event + "\n")
	case "stringhead":
		return quoted(event[:half])
	case "linetail":
		return quoted(event[half:] + "\n")
	case "escaped":
		return strings.Trim(quoted(event), `"`)
	case "csv":
		return `"` + strings.ReplaceAll(event, `"`, `""`) + `"`
	case "base":
		return base64.StdEncoding.EncodeToString([]byte(event))
	case "packed":
		return base64.StdEncoding.EncodeToString(gzipped(event))
	case "slashed":
		return strings.ReplaceAll(written("packed", event), "/", `\/`)
	case "escapedpad":
		return strings.ReplaceAll(written("base", event+strings.Repeat(" ", 3-(len(event)+2)%3)), "=", `\u003d`)
	case "unpadded":
		return strings.TrimRight(written("base", event+strings.Repeat(" ", 3-(len(event)+2)%3)), "=")
	case "urlsafe":
		return strings.NewReplacer("+", "-", "/", "_").Replace(written("packed", event))
	case "wide":
		return "\x00" + strings.Join(strings.Split(event+"\r", ""), "\x00") + "\x00"
	case "marked":
		return "\xff\xfe" + written("wide", event)[1:]
	case "field":
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(event)))) + event
	case "fieldten": // the length has the end of a line in it, here and below
		return written("field", event+strings.Repeat(" ", 0x20a-len(event)))
	case "fieldlong":
		return written("field", event+strings.Repeat(" ", 0xa20-len(event)))
	case "fieldround":
		return written("field", event+strings.Repeat(" ", 0x4100-len(event)))
	case "wideline":
		return written("wide", "2026-01-05T09:00:00+0000 cp1 kube-apiserver[2200]: "+event)
	case "xml":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(event)
	case "sls":
		return slsRow(event)
	case "aks":
		return aksRow(event)
	case "columns":
		return aksLine(event)
	case "gke":
		return gkeRow(event)
	case "keyvalues":
		return keyValues(event)
	case "snake":
		return strings.NewReplacer("stringValue", "string_value", "intValue", "int_value", "kvlistValue", "kvlist_value", "arrayValue", "array_value").Replace(keyValues(event))
	case "baseline":
		return written("base", "2026-01-05T09:00:00.1Z "+event)
	case "bytes":
		return strings.ReplaceAll(fmt.Sprint([]byte(event)), " ", ",")
	}
	panic("nothing is written so: " + how)
}

// keyValues writes an event as OpenTelemetry does that has parsed it.
func keyValues(event string) string {
	var value any
	d := json.NewDecoder(strings.NewReader(event))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return event // it was torn
	}
	b, _ := json.Marshal(anyValue(value))
	return string(b)
}

func anyValue(v any) any {
	switch v := v.(type) {
	case string:
		return map[string]any{"stringValue": v}
	case bool:
		return map[string]any{"boolValue": v}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return map[string]any{"doubleValue": v}
		}
		return map[string]any{"intValue": v.String()}
	case []any:
		items := []any{}
		for _, item := range v {
			items = append(items, anyValue(item))
		}
		return map[string]any{"arrayValue": map[string]any{"values": items}}
	case map[string]any:
		pairs := []any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, map[string]any{"key": key, "value": anyValue(v[key])})
		}
		return map[string]any{"kvlistValue": map[string]any{"values": pairs}}
	}
	return map[string]any{} // null
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// carried reads an input in chunks of a size and returns what is in it, sorted,
// and its format.
func carried(t *testing.T, input string, size int) (lines []string, format string) {
	t.Helper()
	r := NewReader([]*Log{NewLog("f", strings.NewReader(input))}, Options{ChunkSize: size, Ordered: true})
	defer r.Close()
	var (
		chunk   Chunk
		decoder Decoder
		shapes  Shapes
		looks   Shapes
	)
	for {
		err := r.Next(context.Background(), &chunk)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for decoder.Reset(&chunk); decoder.Next(); {
			e := decoder.Event()
			line := fmt.Sprintf("%s %d", e.AuditID, e.Line+1)
			if _, label, ok := strings.Cut(e.Log, "#"); ok {
				line += " log=" + label
			}
			lines = append(lines, line)
		}
		stats := decoder.Stats()
		for _, r := range stats.Refused {
			lines = append(lines, fmt.Sprintf("%s %d", r.Kind, r.Line+1))
		}
		shapes |= stats.Shapes
		looks |= stats.Looks
	}
	slices.Sort(lines)
	if shapes == 0 {
		shapes = looks
	}
	return lines, shapes.Format("jsonl")
}

// FuzzCarriers reads any bytes as a record of each carrier, in one chunk and in
// three: nothing panics, what is read is the same, and a record costs no more
// memory than a few times its size. What is remembered of one input meets the
// next, as in a run.
func FuzzCarriers(f *testing.F) {
	for _, sections := range carrierCases(f) {
		input := filled(sections["input"], event)
		f.Add([]byte(input))
		for line := range strings.Lines(input) {
			f.Add([]byte(line))
		}
	}
	for _, c := range oddEntries {
		f.Add([]byte(oddEntry(c.entry)))
	}
	c := cutting{decoder: Decoder{OwnLog: true}}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return // what is long is slow, and no other
		}
		whole := c.counted(t, data, Options{ChunkSize: 1 << 14, MaxLine: 1 << 14})
		if again := c.counted(t, data, Options{ChunkSize: 1 + len(data)/3, MaxLine: 1 << 14}); again != whole {
			t.Errorf("%q:\n%s", data, cmp.Diff(whole, again))
		}
	})
}

// notIdentical says of carriers that docs/carriers.md lists why they are not in
// TestACarrierChangesNoFinding.
var notIdentical = map[string]string{
	"json":            "a form that several carriers have: lists, and objects over several lines",
	"rancher-audit":   "it has no audit events",
	"kube-audit-rest": "it has no audit events",
}

// TestEveryCarrierListedHoldsTheSameEvents: each that docs/carriers.md has a row
// of is among those of TestACarrierChangesNoFinding, or it is said why not.
func TestEveryCarrierListedHoldsTheSameEvents(t *testing.T) {
	text, err := os.ReadFile("../docs/carriers.md")
	if err != nil {
		t.Fatal(err)
	}
	identical := map[string]bool{}
	for _, sections := range carrierCases(t) {
		if sections["each"] != "" && sections["loses"] == "" {
			want := strings.Split(strings.TrimSpace(sections["want"]), "\n")
			for name := range strings.SplitSeq(want[len(want)-1], "+") {
				identical[strings.TrimSpace(name)] = true
			}
		}
	}
	listed := 0
	for line := range strings.Lines(string(text)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(first, -1) {
			if first[0] != '`' || line[0] != '|' || !slices.Contains(shapeNames[:], name[1]) && name[1] != "jsonl" {
				continue
			}
			listed++
			if _, why := notIdentical[name[1]]; identical[name[1]] == why {
				t.Errorf("%s: in the identity test: %v, said why not: %v", name[1], identical[name[1]], why)
			}
		}
	}
	if listed < 25 {
		t.Errorf("%d carriers are listed", listed)
	}
}
