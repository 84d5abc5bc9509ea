package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// loadConfig reads the file that --config names. Its keys are the flags of
// scan, and "set" holds a map of options by analyzer:
//
//	analyzers: [stuck-watch, endpoint-flap]
//	min-severity: info
//	set:
//	  stuck-watch:
//	    rounds: 5
//
// A key that is no flag is an error, so that a misspelt one is not ignored. A
// flag that the command line sets keeps its value.
func (f *scanFlags) loadConfig(cmd *cobra.Command) error {
	if f.config == "" {
		return nil
	}
	text, err := readConfig(f.config)
	if err != nil {
		return err
	}
	if brackets := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); brackets > maxBrackets {
		return usagef("%s: it has %d brackets, and no configuration needs more than %d", f.config, brackets, maxBrackets)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return syntaxError(f.config, err)
	}
	c := configFile{name: f.config, flags: f, cmd: cmd}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue // empty, or comments only
		}
		if err := c.each(doc.Body, c.apply); err != nil {
			return err
		}
	}
	return nil
}

// maxConfig is how many bytes are read, more than any configuration needs. What
// is longer is some other file, or one without an end such as /dev/zero.
const maxConfig = 1 << 20

func readConfig(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usagef("--config: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return nil, usagef("--config: %w", err)
	}
	if len(text) > maxConfig {
		return nil, usagef("%s: it is larger than 1 MiB, so it is no configuration file", name)
	}
	return text, nil
}

// maxBrackets bounds the time that the YAML library takes, which grows with the
// square of how deep brackets nest.
const maxBrackets = 200

// syntaxError says in one line where the file is no YAML.
func syntaxError(name string, err error) error {
	if e, ok := errors.AsType[yaml.Error](err); ok {
		return usagef("%s:%d: %s", name, e.GetToken().Position.Line, e.GetMessage())
	}
	return usagef("%s: %w", name, err)
}

// A configFile is a configuration file that is being read.
type configFile struct {
	name  string
	flags *scanFlags
	cmd   *cobra.Command
}

// each calls f for each key of a map.
func (c *configFile) each(node ast.Node, f func(key, value ast.Node) error) error {
	m, ok := node.(ast.MapNode)
	if !ok {
		return c.errorf(node, "it must be a map")
	}
	for entry := m.MapRange(); entry.Next(); {
		if err := f(entry.Key(), entry.Value()); err != nil {
			return err
		}
	}
	return nil
}

// apply sets the flag that a key of the file names.
func (c *configFile) apply(keyNode, value ast.Node) error {
	key := keyNode.GetToken().Value
	if key == "set" {
		return c.each(value, c.applyOptions)
	}
	flag := c.cmd.LocalNonPersistentFlags().Lookup(key)
	if flag == nil || !isKey(key) {
		return c.unknown(keyNode)
	}
	texts, err := c.texts(value)
	if err != nil || flag.Changed {
		return err
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.Replace(texts)
	}
	if len(texts) != 1 {
		return c.errorf(value, "%s takes one value, not a list", key)
	}
	if err := flag.Value.Set(texts[0]); err != nil {
		return c.at(value, valueError(key, texts[0], err))
	}
	return nil
}

// applyOptions sets the options of an analyzer, or one whose key has the form
// ANALYZER.OPTION, as --set takes it.
func (c *configFile) applyOptions(analyzer, options ast.Node) error {
	name := analyzer.GetToken().Value
	if strings.Contains(name, ".") {
		return c.setOption(analyzer, name, options)
	}
	if _, ok := options.(ast.MapNode); !ok {
		return hinted(c.errorf(options, "set: %s: it must be a map of options", name), "%s",
			`write "set: {ANALYZER: {OPTION: VALUE}}"; options are listed by "kaudit analyzers"`)
	}
	return c.each(options, func(option, value ast.Node) error {
		return c.setOption(option, name+"."+option.GetToken().Value, value)
	})
}

// setOption sets the option at path, ANALYZER.OPTION. key is where it stands.
func (c *configFile) setOption(key ast.Node, path string, value ast.Node) error {
	texts, err := c.texts(value)
	if err != nil {
		return err
	}
	if len(texts) != 1 {
		return c.errorf(value, "%s takes one value, not a list", path)
	}
	return c.at(key, setOption(c.flags.fileSettings, path+"="+texts[0]))
}

// unknown returns the error for a key that is no flag.
func (c *configFile) unknown(keyNode ast.Node) error {
	key := keyNode.GetToken().Value
	var names []string
	c.cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if isKey(f.Name) {
			names = append(names, f.Name)
		}
	})
	return hinted(c.errorf(keyNode, "there is no key %q", key), "%s",
		didYouMean(key, names, `the keys are the flags that "kaudit help scan" lists`))
}

// isKey reports whether the flag of this name may stand in the file.
func isKey(name string) bool { return name != "config" && name != "help" }

// texts returns the text of a scalar, or those of the scalars of a list.
func (c *configFile) texts(node ast.Node) ([]string, error) {
	switch n := node.(type) {
	case *ast.SequenceNode:
		var all []string
		for _, value := range n.Values {
			texts, err := c.texts(value)
			if err != nil {
				return nil, err
			}
			all = append(all, texts...)
		}
		return all, nil
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return []string{n.GetToken().Value}, nil
	case *ast.LiteralNode:
		return []string{n.Value.Value}, nil
	case *ast.NullNode:
		return nil, c.errorf(node, "it has no value")
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return nil, c.errorf(node, "anchors, aliases and tags are not supported: write the value itself")
	}
	return nil, c.errorf(node, "it must be a value or a list of values")
}

func (c *configFile) errorf(node ast.Node, format string, args ...any) error {
	return c.at(node, usagef(format, args...))
}

// at says where in the file err is.
func (c *configFile) at(node ast.Node, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, node.GetToken().Position.Line, err)
}
