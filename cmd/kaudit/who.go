package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/query/who"
)

// A whoRun is one run of "kaudit who".
type whoRun struct {
	reading
	output   *choice
	limit    int
	question *who.Question
	answers  *query.Condition // chooses among the answers
}

func newWho() *cobra.Command {
	w := &whoRun{output: newChoice("text", "text", "json", "yaml")}
	cmd := &cobra.Command{
		Use:   "who [FLAGS] DEED KIND/NAME [FILE|DIR|GLOB|-]...",
		Short: "say who deleted, created or changed an object, and what led to it",
		Long: `kaudit who says who did something to an object, when and from where, and what
led to it: the deletion of an owner before the garbage collector's, a drain
before an eviction, a scaled deployment before its pods. It says so if it infers
that from names and times.

A DEED is deleted, created, changed, scaled, evicted, execed, read or denied. A
write to the status alone is no change; kaudit timeline shows those. If the log
has bodies, scaled means any request that changed spec.replicas; if it has none,
a write to the scale subresource, with a note on other writes that may have
changed the replicas.

Flags that choose events choose among the answers; only --since, --until and
--around limit which part of the log is searched.
` + filterHelp,
		Example: `kaudit who deleted pod/web-0 -n shop audit.log
kaudit who deleted 'pod/web-*' -n shop /var/log/kube-apiserver --since 1h
kaudit who scaled deploy/web -n shop audit.log
kaudit who read secret/db-password -n shop audit.log --user '!system:*'
kaudit who denied node/n1 audit.log -o json`,
		Annotations:       exits(readExits),
		ValidArgsFunction: completeDeed,
		RunE:              answering(w),
	}
	w.flags(cmd)
	return cmd
}

// flags gives the command its flags and their completions.
func (w *whoRun) flags(cmd *cobra.Command) {
	w.register(cmd)
	group(cmd, shownGroup, func(fs *pflag.FlagSet) {
		fs.VarP(w.output, "output", "o", w.output.usage("the answer's form"))
		fs.IntVarP(&w.limit, "limit", "L", 5, "show this `NUMBER` of answers, the latest first")
		w.registerLook(fs)
		w.registerQuiet(fs, "no progress, no notes: the answer and errors only")
	})
	completeChoice(cmd, "output", w.output)
	completeChoice(cmd, "color", w.color)
}

// completeDeed offers deeds and then kinds of objects; after them come files.
func completeDeed(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return who.Deeds(), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return completeKinds(typed)
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeKinds offers the kinds of objects, each with a slash.
func completeKinds(typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, resource := range query.Resources() {
		if strings.HasPrefix(resource, typed) {
			list = append(list, resource+"/")
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// joinObject joins the arguments KIND NAME, a form that kubectl takes, into
// KIND/NAME, unless one of them is a file.
func joinObject(args []string) []string {
	if len(args) < 2 || !query.IsKind(args[0]) || strings.Contains(args[1], "/") {
		return args
	}
	for _, arg := range args[:2] {
		if _, err := os.Stat(arg); err == nil {
			return args
		}
	}
	return append([]string{args[0] + "/" + args[1]}, args[2:]...)
}

func (w *whoRun) prepare(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return hinted(usagef("it needs a deed and an object"), `for example: kaudit who deleted pod/web-0 -n shop audit.log`)
	}
	args = append(args[:1:1], joinObject(args[1:])...)
	if err := checkLimit(cmd, int64(w.limit)); err != nil {
		return err
	}
	namespace := ""
	switch f := &w.filter; {
	case len(f.Namespaces) > 1:
		return usagef("--namespace: it takes one namespace here, that of the object")
	case len(f.Namespaces) == 1:
		namespace, f.Namespaces = f.Namespaces[0], nil
	}
	var err error
	if _, missing := os.Stat(args[1]); missing == nil {
		kind, _, _ := strings.Cut(args[1], "/")
		switch known := query.IsKind(kind); {
		case len(args) == 2:
			return hinted(usagef("the object comes before %s", args[1]), "kaudit who %s pod/web-0 %s", args[0], args[1])
		case !known:
			return hinted(usagef("%s is a file, not an object", args[1]), "quote a pattern such as 'pod/*', or the shell takes it for names of files")
		}
	}
	if w.question, err = who.Ask(args[0], args[1], namespace); err != nil {
		return filterError(err)
	}
	if err := w.reading.prepare(cmd, args[2:]); err != nil {
		return err
	}
	// What led to a deed was done by others, so only time leaves events out.
	if w.answers, err = w.filter.Compile(); err != nil {
		return filterError(err)
	}
	w.filter = query.Filter{}
	return nil
}

func (w *whoRun) run(ctx context.Context) error {
	o, meter, err := w.open(ctx)
	if err != nil {
		return err
	}
	q := w.question
	object := seekObject(q.Resource, q.APIGroup, q.Namespace, q.Name)
	watch := object.watch(&o, &w.filter)
	collected, result, broken := w.collect(ctx, o, watch)
	if w.foundCopies(result, &o, meter) {
		collected, result, broken = w.collect(ctx, o, watch)
	}
	meter.clear()
	if err := endless(ctx); err != nil {
		return err
	}
	w.sayDoubts(result)
	verdict := w.verdict(ctx, &result.Input, result.Partial)
	if broken != nil || result.Input.Events == 0 {
		return errors.Join(broken, verdict)
	}
	why, _ := w.whyNone(w.answers, "answer", &result.Input)
	words := who.Words{LeftOut: why}
	if result.Input.Selected != nil {
		words.Log = "the chosen part of the log"
	}
	answer := collected.Answer(words)
	err = w.print(answer)
	if len(answer.Answers) == 0 && w.output.value == "text" {
		w.sayNoAnswer(&result.Input, why, object)
	}
	return errors.Join(verdict, err)
}

// collect reads the logs and collects what the answer is made of. watch makes what
// else each worker shows its events to. It fails if the question can't be asked.
func (w *whoRun) collect(ctx context.Context, o driver.Options, watch func() func(*audit.Event)) (all *who.Collector, result *driver.Result, failed error) {
	var collectors []*who.Collector
	o.Observe = func() func(*audit.Event) {
		c, err := who.NewCollector(w.question, w.answers.Matcher())
		if err != nil {
			failed = err
			return func(*audit.Event) {}
		}
		collectors = append(collectors, c)
		look := watch()
		return func(e *audit.Event) {
			look(e)
			c.Observe(e)
		}
	}
	result = driver.Run(ctx, w.inputs.Logs, o)
	if failed != nil {
		return nil, result, failed
	}
	for _, c := range collectors[1:] {
		collectors[0].Merge(c)
	}
	return collectors[0], result, nil
}

// print prints the answer. Beside one in text it says what that leaves out; the
// other forms are whole.
func (w *whoRun) print(answer *who.Answer) error {
	if w.output.value != "text" {
		return paged(w.stdout, w.pager, func(out io.Writer) error { return printValue(out, w.output.value, answer) })
	}
	err := paged(w.stdout, w.pager, func(out io.Writer) error { return answer.Text(out, w.limit, w.look(w.stdout)) })
	if more := len(answer.Answers) - w.limit; more > 0 {
		w.say("and %d more; --limit shows them", more)
	}
	for _, note := range answer.Notes {
		w.say("%s", note)
	}
	return err
}

// sayNoAnswer says why there is no answer: which object may have been meant, or
// which flags leave it out. If why is set, the answer itself has said so.
func (w *whoRun) sayNoAnswer(in *driver.Input, why string, object *sought) {
	switch {
	case in.Selected != nil && *in.Selected == 0:
		w.sayNoneChosen(w.voice, in)
	case why == "":
		if left := object.leftOut(w.around != ""); left != "" {
			w.say("%s", left)
		}
		w.hint("%s", object.hint())
	}
}
