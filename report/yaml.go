package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// YAML writes the report as one document, with the fields of its JSON in the
// same order.
func YAML(w io.Writer, r *Report) error {
	var text bytes.Buffer
	if err := JSON(&text, r); err != nil {
		return err
	}
	return JSONToYAML(w, &text)
}

// JSONToYAML writes a JSON value as one YAML document, with its fields in the
// same order. Text that a terminal would act on, or that a YAML reader would
// take for another type, is quoted.
func JSONToYAML(w io.Writer, text io.Reader) error {
	d := json.NewDecoder(text)
	d.UseNumber()
	v, err := ordered(d)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	doc, err := yaml.ValueToNode(v, yaml.IndentSequence(true))
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	ast.Walk(quoter{}, doc)
	_, err = io.WriteString(w, doc.String()+"\n")
	return err
}

// ordered reads the next JSON value, with the keys of objects in their order.
func ordered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return orderedObject(d)
		}
		return orderedList(d)
	case json.Number:
		return plainNumbers(t), nil
	case string:
		return t, nil
	}
	return token, nil
}

func orderedObject(d *json.Decoder) (any, error) {
	object := yaml.MapSlice{}
	for d.More() {
		key, err := d.Token() // a string: encoding/json wrote this
		if err != nil {
			return nil, err
		}
		value, err := ordered(d)
		if err != nil {
			return nil, err
		}
		object = append(object, yaml.MapItem{Key: key, Value: value})
	}
	_, err := d.Token()
	return object, err
}

func orderedList(d *json.Decoder) (any, error) {
	list := []any{}
	for d.More() {
		value, err := ordered(d)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.Token()
	return list, err
}

// plainText matches text that is left to the YAML library: nothing in it means
// anything to YAML or a terminal, except for words such as yes, which the library
// quotes.
var plainText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9_./(-][A-Za-z0-9_.,;/()-]*)*$`)
})

// A quoter puts all other text in quotes, also keys. The library would write control
// characters as they are, and texts such as "a\tb" and ".inf" would be read as
// something else.
type quoter struct{}

// Visit quotes a string as Go does, since YAML's double-quoted text has the same
// escapes. If the library has quoted it already, the node's value has the quotes.
func (q quoter) Visit(node ast.Node) ast.Visitor {
	n, ok := node.(*ast.StringNode)
	if !ok {
		return q
	}
	text := n.Value
	if strings.HasPrefix(text, `"`) {
		text, _ = strconv.Unquote(text)
	}
	if len(text) > maxText || !plainText().MatchString(text) {
		n.Token.Type, n.Value = token.DoubleQuoteType, text
	}
	return q
}
