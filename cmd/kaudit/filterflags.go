package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query"
)

// A filterFlags holds the flags that choose events. The commands that read logs
// share them.
type filterFlags struct {
	since, until, around string // times as they were given; see window
	window               time.Duration
	filter               query.Filter
	where                string // the expression as it was given

	chosen    *query.Condition // all flags but --where, compiled; nil before selection
	condition *where           // --where, compiled; nil if it was not given
	logEnd    audit.Time       // the latest time in the logs; 0 until span has looked for it
}

const defaultWindow = 5 * time.Minute

// filterHelp stands in the help of each command that has these flags.
const filterHelp = `
An event must match every flag that chooses events, and one of the values of
each flag. Repeat a flag or join its values with commas to give several. !VALUE
excludes events, * is any text, /RE/ is a regular expression, and '!*' matches
events without a value. What a stage of a request can't know yet (the code
before the answer, the impersonated user, the name of an object being created)
matches no value, so that all commands choose the same requests.`

// register adds the flags to cmd.
func (f *filterFlags) register(cmd *cobra.Command) {
	group(cmd, filterGroup, func(fs *pflag.FlagSet) {
		fs.Var(given{&f.since}, "since", "leave out events before `TIME`: 2026-11-29, 2026-11-29T13:45 or finer, UTC unless it has a zone; 13:45, the last one in the log; or 2h, 2d before the log's end, for which compressed logs are read twice")
		fs.Var(given{&f.until}, "until", "leave out events after `TIME`")
		fs.Var(given{&f.around}, "around", "leave out events further than --window from `TIME`")
		fs.DurationVar(&f.window, "window", defaultWindow, "`DURATION` before and after --around")
		list := func(to *[]string, name, short, usage string) { fs.StringArrayVarP(to, name, short, nil, usage) }
		list(&f.filter.Verbs, "verb", "", "`VERB` such as delete")
		list(&f.filter.Resources, "resource", "", "`RESOURCE` such as po, deployments.apps, pods/exec")
		list(&f.filter.Subresources, "subresource", "", "`SUBRESOURCE` such as status; !* for none")
		list(&f.filter.Namespaces, "namespace", "n", "`NAMESPACE` of the object")
		list(&f.filter.Names, "name", "", "`NAME` of the object")
		list(&f.filter.Users, "user", "", "`USER` who sent the request")
		list(&f.filter.As, "as", "", "`USER` whom the sender impersonated; * for any")
		list(&f.filter.UserAgents, "user-agent", "", "`AGENT` of the client, such as 'kubectl/*'")
		list(&f.filter.SourceIPs, "source-ip", "", "`ADDRESS` of the client or of a proxy on the way, or a network such as 10.0.0.0/8")
		list(&f.filter.Codes, "code", "", "response `CODE`: 404, 5xx, 40*, 400-499, '>=500', panic")
		list(&f.filter.Stages, "stage", "", "`STAGE` such as ResponseComplete")
		list(&f.filter.Levels, "level", "", "`LEVEL` such as Metadata")
		list(&f.filter.AuditIDs, "audit-id", "", "audit `ID`: all stages of one request have the same")
		fs.DurationVar(&f.filter.SlowerThan, "slower-than", 0, "requests that took longer than `DURATION`; long-running ones only with --long-running")
		fs.BoolVar(&f.filter.Failed, "failed", false, "requests answered 400 or more, and panics")
		fs.BoolVar(&f.filter.LongRunning, "long-running", false, "watches, exec, attach, logs, port-forward and proxies only")
		fs.Var(given{&f.where}, "where", "leave out events for which the jq `EXPR` is false, null or empty; runs after the other flags, and is slow")
	})
	for flag, words := range map[string][]string{
		"verb": query.Verbs(), "resource": query.Resources(), "namespace": nil, "name": nil, "user": nil, "user-agent": nil,
	} {
		complete(cmd, flag, completeSeen(flag, words))
	}
	for flag, words := range map[string][]string{
		"code":        {"4xx", "5xx", ">=400", "panic"},
		"stage":       {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"},
		"level":       {"Metadata", "Request", "RequestResponse"},
		"subresource": {"attach", "binding", "ephemeralcontainers", "eviction", "exec", "log", "portforward", "proxy", "scale", "status", "token"},
	} {
		complete(cmd, flag, completeWords(words))
	}
}

// completeWords offers words for the last value of a comma-separated list, also
// behind the ! that negates it.
func completeWords(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		begin := strings.LastIndexByte(typed, ',') + 1
		there := strings.Split(typed[:begin], ",")
		if strings.HasPrefix(typed[begin:], "!") {
			begin++
		}
		var list []cobra.Completion
		for _, word := range words {
			if strings.HasPrefix(word, typed[begin:]) && !slices.Contains(there, word) {
				list = append(list, typed[:begin]+word)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// prepare finds the mistakes that can be found before anything is read. With
// --where it also gives cmd a context that ends when the expression is given up.
func (f *filterFlags) prepare(ctx context.Context, cmd *cobra.Command) error {
	if _, err := f.filter.Compile(); err != nil {
		return filterError(err)
	}
	if f.around == "" && cmd.Flags().Changed("window") {
		return hinted(usagef("--window says how far from --around, which is not given"), "give --around TIME")
	}
	if f.around != "" && (f.since != "" || f.until != "") {
		return usagef("--around can't be combined with --since or --until: it sets both")
	}
	if f.window <= 0 {
		return usagef("--window %s: it must be above 0", f.window)
	}
	if cmd.Flags().Changed("slower-than") && f.filter.SlowerThan <= 0 {
		return usagef("--slower-than %s: it must be above 0", f.filter.SlowerThan)
	}
	if f.where == "" {
		return nil
	}
	code, err := compileJQ("--where", f.where)
	if err != nil {
		return err
	}
	f.condition, ctx = newWhere(ctx, code)
	cmd.SetContext(ctx)
	return nil
}

// selection returns a driver.Options.Select: called once a worker, it returns
// the function that chooses events. nil chooses all of them.
func (f *filterFlags) selection(ctx context.Context, logs []*parser.Log, o parser.Options) (func() func(*audit.Event) bool, error) {
	log := f.span(ctx, logs, o)
	w, err := newWindow(f.since, f.until, log)
	if f.around != "" {
		w, err = newAround(f.around, f.window, log)
	}
	if err != nil {
		return nil, err
	}
	f.filter.Since, f.filter.Until = w.since, w.until
	condition, err := f.filter.Compile()
	if err != nil {
		return nil, filterError(err)
	}
	f.chosen = condition
	switch where := f.condition; {
	case where != nil:
		return func() func(*audit.Event) bool {
			matches := condition.Matcher()
			return func(e *audit.Event) bool { return matches(e) && where.selects(e) }
		}, nil
	case condition.Everything():
		return nil, nil
	}
	return condition.Matcher, nil
}

// filterError turns an error of package query into a usage error, with a hint
// if it knows the value that was wrong.
func filterError(err error) error {
	e, ok := errors.AsType[*query.ValueError](err)
	if !ok {
		return usageError{err}
	}
	return hinted(usageError{err}, "%s", didYouMean(e.Word, e.Known, e.Advice))
}

// span returns what finds when the logs begin and end. To find the end of a
// compressed log it must be read, so that is done once.
func (f *filterFlags) span(ctx context.Context, logs []*parser.Log, o parser.Options) logSpan {
	return logSpan{
		end: func() (audit.Time, error) {
			if f.logEnd != 0 {
				return f.logEnd, nil
			}
			end, err := parser.End(ctx, logs, o)
			if errors.Is(err, parser.ErrNoEnd) {
				err = hinted(err, "give a time with its date, such as 2026-11-29T13:45, or put the log into a file first")
			}
			f.logEnd = end
			return end, err
		},
		begin: func() (begin audit.Time, err error) {
			for _, log := range logs {
				at, failed := parser.Begin(log)
				switch {
				case failed != nil:
					err = failed
				case begin == 0 || at < begin:
					begin = at
				}
			}
			if begin == 0 {
				return 0, err
			}
			return begin, nil
		},
	}
}
