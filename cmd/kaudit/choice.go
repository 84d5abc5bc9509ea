package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is the value of a flag that takes one of a few words.
type choice struct {
	value string
	words []string
}

func newChoice(value string, words ...string) *choice { return &choice{value, words} }

func (c *choice) String() string { return c.value }

// Type is what the help shows for the flag's value.
func (c *choice) Type() string { return "WORD" }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return hinted(errors.New("it must be "+orList(c.words)), "%s", didYouMean(s, c.words, ""))
	}
	c.value = s
	return nil
}

// usage returns the text for the help: what the flag is, and its words.
func (c *choice) usage(what string) string { return what + ": " + orList(c.words) }

// orList writes words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// completeChoice makes the shell offer the words.
func completeChoice(cmd *cobra.Command, flag string, c *choice) {
	complete(cmd, flag, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
}

// complete makes the shell offer what f returns as the flag's value.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag does not exist: this program is wrong
	}
}
