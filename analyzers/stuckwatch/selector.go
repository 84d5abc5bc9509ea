package stuckwatch

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// maxSelector is how much of a selector tells scopes apart: it is written by
// the client, and a key is kept.
const maxSelector = 512

// selected returns what narrows the scope of a list or watch: a name, if all
// it selects is one object, or else the selectors as they stand in the query.
// Both may share the event's bytes until they are kept.
func selected(e *audit.Event) (name string, selector audit.Sym) {
	_, query, _ := bytes.Cut(e.URI, []byte("?"))
	if !bytes.Contains(query, []byte("Selector=")) {
		return analysis.NameOf(e.Name), audit.Sym{}
	}
	fields, labels := rawParam(query, "fieldSelector="), rawParam(query, "labelSelector=")
	switch {
	case len(fields) == 0 && len(labels) == 0:
		return analysis.NameOf(e.Name), audit.Sym{}
	case len(labels) == 0:
		if one, ok := nameIn(fields); ok {
			return analysis.NameOf(one), audit.Sym{}
		}
		return "", internSelector(fields)
	case len(fields) == 0:
		return "", internSelector(labels)
	}
	return "", internSelector(append(append(bytes.Clone(fields), '&'), labels...))
}

// internSelector interns without a copy what was interned before.
func internSelector(text []byte) audit.Sym {
	return audit.Intern(analysis.NameOf(text[:min(len(text), maxSelector)]))
}

// rawParam returns the value of a parameter, given as "name=", as it stands in
// the query: still encoded, so that it costs no copy.
func rawParam(query []byte, param string) []byte {
	for len(query) > 0 {
		pair, rest, _ := bytes.Cut(query, []byte("&"))
		if value, ok := bytes.CutPrefix(pair, []byte(param)); ok {
			return value
		}
		query = rest
	}
	return nil
}

// nameIn returns the name that a field selector asks for, if it asks for that
// alone. Names with escapes in them are rare enough to be treated as selectors.
func nameIn(fields []byte) ([]byte, bool) {
	name, ok := bytes.CutPrefix(fields, []byte("metadata.name"))
	if !ok {
		return nil, false
	}
	name, ok = cutEquals(name)
	if !ok {
		return nil, false
	}
	name, _ = cutEquals(name) // "==" is "="
	return name, len(name) > 0 && !bytes.ContainsAny(name, "%,=+!")
}

func cutEquals(s []byte) ([]byte, bool) {
	for _, equals := range []string{"%3D", "%3d", "="} {
		if rest, ok := bytes.CutPrefix(s, []byte(equals)); ok {
			return rest, true
		}
	}
	return s, false
}

// selectorText returns a key's selector for people.
func selectorText(s audit.Sym) string {
	text, err := url.QueryUnescape(s.String())
	if err != nil {
		text = s.String()
	}
	return strings.TrimPrefix(text, "&")
}
