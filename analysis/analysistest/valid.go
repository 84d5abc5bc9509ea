package analysistest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// invalid returns what is wrong with the form of a finding, whatever it says.
func invalid(f *analysis.Finding, c *testCase) []string {
	var wrong []string
	add := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	add(f.Subject == analysis.Subject{}, "it has no subject")
	add(f.Severity.Rank() == 0, "severity %q", f.Severity)
	add(f.Confidence.Rank() == 0, "confidence %q", f.Confidence)
	add(f.Title == "" || strings.ContainsFunc(f.Title, unicode.IsControl), "the title is empty, or has control characters")
	add(f.Count <= 0, "count %d", f.Count)
	add(f.First == 0 || f.Last < f.First, "window %s to %s", f.First, f.Last)
	first, last := c.span()
	add(f.First < first || f.Last > last, "window %s to %s reaches beyond the log, %s to %s", f.First, f.Last, first, last)
	add(len(f.Evidence) == 0 || len(f.Evidence) > analysis.MaxEvidence, "%d lines of evidence; want 1 to %d", len(f.Evidence), analysis.MaxEvidence)
	add(len(f.Marks) > analysis.MaxMarks, "%d marks; want at most %d", len(f.Marks), analysis.MaxMarks)
	within := false // a cause may lie before, a reaction after
	for i := range f.Evidence {
		e := &f.Evidence[i]
		add(!stands(e, c), "evidence %d is not in the log: %+v", i, *e)
		within = within || f.First <= e.Time && e.Time <= f.Last
	}
	add(!within, "no evidence lies within the window, %s to %s", f.First, f.Last)
	for _, m := range f.Marks {
		add(m.Kind == "" || m.To < m.From || m.N <= 0, "mark %+v", m)
	}
	if _, err := json.Marshal(f); err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong
}

// stands reports whether an event of the case is what the evidence cites.
func stands(e *analysis.Evidence, c *testCase) bool {
	for i := range c.events {
		event := &c.events[i].event
		if event.Source == e.Source && event.Offset == e.Offset {
			return event.At == e.Time && event.Stage == e.Stage && string(event.AuditID) == e.AuditID && e.Summary != ""
		}
	}
	return false
}

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	unstable  = map[reflect.Type]string{
		reflect.TypeFor[audit.Sym]():  "a Sym is for one process; keep its text",
		reflect.TypeFor[audit.View](): "a View is valid until the next event; keep a copy of its text",
	}
)

// badState returns why a state can't be saved and read whole.
func badState(s analysis.State) []string {
	typ := reflect.TypeOf(s)
	if typ.Kind() != reflect.Pointer || typ.Elem().Kind() != reflect.Struct {
		return []string{fmt.Sprintf("%s is no pointer to a struct", typ)}
	}
	return badType(typ.Elem(), typ.Elem().String(), map[reflect.Type]bool{})
}

func badType(typ reflect.Type, path string, seen map[reflect.Type]bool) []string {
	if why, ok := unstable[typ]; ok {
		return []string{path + ": " + why}
	}
	if seen[typ] || typ.Implements(marshaler) || reflect.PointerTo(typ).Implements(marshaler) {
		return nil
	}
	seen[typ] = true
	switch typ.Kind() {
	case reflect.Struct:
		var wrong []string
		for i := range typ.NumField() {
			field := typ.Field(i)
			name := path + "." + field.Name
			switch tag := field.Tag.Get("json"); {
			case field.Tag.Get("cache") != "": // made anew of the field that it names
			case !field.IsExported() && !field.Anonymous:
				wrong = append(wrong, name+" is not exported, so it is not saved")
			case tag == "-":
				wrong = append(wrong, name+" is not saved")
			default:
				wrong = append(wrong, badType(field.Type, name, seen)...)
			}
		}
		return wrong
	case reflect.Slice, reflect.Array, reflect.Pointer:
		return badType(typ.Elem(), path+"[]", seen)
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			return []string{fmt.Sprintf("%s has keys of type %s: want strings, whose order in JSON is theirs", path, typ.Key())}
		}
		return badType(typ.Elem(), path+"{}", seen)
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return []string{fmt.Sprintf("%s is a %s, which can't be saved", path, typ.Kind())}
	}
	return nil
}
