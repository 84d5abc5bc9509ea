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
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/report"
)

// The bounds of what completion looks at, since the user waits for it.
const (
	seenBytes  = 16 << 20               // of the logs
	seenTime   = 300 * time.Millisecond // for reading
	mostValues = 200                    // offered
)

// seenHelp stands in the help of the command that makes completions.
const seenHelp = `Where a command line names logs, the values offered for --user, --namespace,
--name, --resource, --verb, --user-agent and --node come from the first 16 MB of
them, as far as 0.3 s suffices; those for --finding are the ids of incidents and
findings, in logs of up to 4 MB. Values that a shell might not take for a plain
word are not offered.`

// seenValues are, by flag, what an event has to offer as the flag's value.
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

// agentOf returns the user agent, or, of several words, a pattern of the first:
// the others are a platform and a commit as a rule.
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

// completeSeen offers for a flag the values that the logs on the command line
// have, or words if there are none.
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

// seenIn returns the most frequent values of the events of the logs, sorted.
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

// logsAmong finds the logs among the arguments of an unfinished command line, and
// about how many bytes they have. inputs is nil if there are none. Only files and
// directories count: to read a pipe might block.
func logsAmong(args []string) (inputs *parser.Inputs, size int64) {
	var names []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			names = append(names, arg)
			if size += info.Size(); info.IsDir() {
				size += smallLog // most likely it holds rotated parts, whose size is unknown
			}
		}
	}
	if len(names) == 0 {
		return nil, 0
	}
	return parser.Find(names, strings.NewReader("")), size
}

// isShellWord reports whether a shell takes a value for a plain word, whichever
// way it expands completions. Values come from the log, and thus from anyone who
// can send requests to the API server.
func isShellWord(value string) bool {
	const more = "._:/@%+=-*"
	return value != "" && strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(more, r)
	}) < 0
}

// The bounds of a scan for completing --finding.
const (
	smallLog = 4 << 20         // bytes; larger logs are not scanned
	scanTime = 2 * time.Second // after which nothing is offered
)

// completeFinding offers the IDs of the incidents and findings of small logs.
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
	offer := func(id, title string) {
		if strings.HasPrefix(id, typed) && isShellWord(id) {
			ids = append(ids, cobra.CompletionWithDesc(id, report.Clean(title)))
		}
	}
	for _, in := range incident.Find(result.Findings, 0) {
		offer(in.ID, in.Title)
	}
	for i := range result.Findings {
		offer(result.Findings[i].ID, result.Findings[i].Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
