package main

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// Who presses a key waits: this much of the logs is looked at for what a flag
// may be completed with, and so many values are offered.
const (
	seenBytes  = 16 << 20
	seenTime   = 300 * time.Millisecond
	mostValues = 200
)

// seenHelp stands in the help of the command that makes completions.
const seenHelp = `Where a command line names logs, the values offered for --user, --namespace,
--name, --resource, --verb, --user-agent and --node come from the first 16 MB of
them, as far as 0.3 s suffices; those for --finding are the ids of findings, in
logs of up to 4 MB. Values that a shell might not take for a plain word are not
offered.`

// seenValues are what flags may be completed with, by their names.
var seenValues = map[string]func(*audit.Event) string{
	"verb":       func(e *audit.Event) string { return e.Verb.String() },
	"resource":   resourceOf,
	"namespace":  func(e *audit.Event) string { return e.Namespace.String() },
	"name":       func(e *audit.Event) string { return e.Name.String() },
	"user":       func(e *audit.Event) string { return e.User.String() },
	"user-agent": agentOf,
	"node":       nodeOf,
}

func resourceOf(e *audit.Event) string {
	if e.Group == (audit.Sym{}) {
		return e.Resource.String()
	}
	return e.Resource.String() + "." + e.Group.String()
}

// agentOf returns the agent, or a pattern of its first word: what follows may
// be a platform and a commit in brackets.
func agentOf(e *audit.Event) string {
	first, _, more := strings.Cut(e.UserAgent.String(), " ")
	if more {
		first += "*"
	}
	return first
}

func nodeOf(e *audit.Event) string {
	if name, ok := strings.CutPrefix(e.User.String(), nodeUser); ok {
		return name
	}
	if e.Resource.String() == "nodes" {
		return e.Name.String()
	}
	return ""
}

// completeSeen offers for a flag what the logs on the command line have, or
// words where there are none.
func completeSeen(flag string, words []string) cobra.CompletionFunc {
	value := seenValues[flag]
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		seen := seenIn(cmd.Context(), args, value)
		if len(seen) == 0 {
			seen = words
		}
		return completeWords(seen)(cmd, args, typed)
	}
}

// seenIn returns the values that events of the logs have most often, in order.
func seenIn(ctx context.Context, args []string, value func(*audit.Event) string) []string {
	inputs, _ := logsAmong(args)
	if inputs == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	counts := map[string]int{}
	left := seenBytes
	driver.Run(ctx, inputs.Logs, driver.Options{Workers: 1, Observe: func() func(*audit.Event) {
		return func(e *audit.Event) {
			if left -= len(e.Raw); left < 0 {
				cancel()
				return
			}
			counts[value(e)]++
		}
	}})
	values := slices.DeleteFunc(slices.Collect(maps.Keys(counts)), func(v string) bool { return !isShellWord(v) })
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	values = values[:min(len(values), mostValues)]
	slices.Sort(values)
	return values
}

// logsAmong finds the logs among the arguments of a command line that is not
// yet complete, and how many bytes they have, or returns nil. Nothing is read
// that might wait for a writer.
func logsAmong(args []string) (inputs *parser.Inputs, size int64) {
	var names []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			names = append(names, arg)
			if size += info.Size(); info.IsDir() {
				size += smallLog // as a rule it holds rotated parts
			}
		}
	}
	if len(names) == 0 {
		return nil, 0
	}
	return parser.Find(names, strings.NewReader("")), size
}

// isShellWord reports whether a shell takes a value of the log for a word, whatever
// it does to what is completed: whoever reaches the API server chooses names.
func isShellWord(value string) bool {
	const more = "._:/@%+=-*"
	return value != "" && strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	}) < 0
}

// smallLog is how large logs are that are scanned for their findings to
// complete one, and scanTime how long that may take.
const (
	smallLog = 4 << 20
	scanTime = 2 * time.Second
)

// completeFinding offers the ids of findings of small logs.
func completeFinding(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	inputs, size := logsAmong(args)
	if inputs == nil || size > smallLog {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, err := (&scanFlags{}).chooseAnalyzers()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), scanTime)
	defer cancel()
	result := driver.Run(ctx, inputs.Logs, driver.Options{Analyzers: all})
	if result.Partial {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []cobra.Completion
	for i := range result.Findings {
		if f := &result.Findings[i]; strings.HasPrefix(f.ID, typed) && isShellWord(f.ID) {
			ids = append(ids, cobra.CompletionWithDesc(f.ID, report.Clean(f.Title)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
