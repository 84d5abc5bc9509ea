// Package analysistest is the harness for analyzers: [Run] reads cases that a
// person can read and proves the law of analysis.State for each of them. The
// whole test file of an analyzer is
//
//	func TestStuckWatch(t *testing.T) { analysistest.Run(t, stuckwatch.New) }
//
//	func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, stuckwatch.New) }
//
// [Recorded] says beside it what the analyzer finds in the recorded logs.
//
// # Cases
//
// A case is a txtar archive, testdata/NAME.txtar. What stands above its first
// section says what it shows. Its sections:
//
//	-- log --        the log in the shorthand below
//	-- log.jsonl --  a captured log, as it was written
//	-- fixture --    names of recorded logs below fixtures/, one a line
//	-- flags --      option=value, one a line
//	-- want --       wants of findings that no line of the case begins, one a line
//	-- findings --   all findings in full; go test -update writes it
//
// A case has one of the first three. Without wants and without findings it
// asserts silence.
//
// # Shorthand
//
//	09:00:00  kcm    watch   services     -         200  rv=376 dur=7s
//	09:00:01  alice  delete  endpoints    shop/web  200  # want "warning likely shop/web"
//	+2.5s     bob    create  pods/exec    shop/db   101  dur=open ip=10.0.0.9
//	09:00:04  eve    get     /healthz     -         401
//
// The columns are time, user, verb, resource, object and code; then key=value
// in any order; then a comment. Text with spaces stands in '…', "…" (with Go's
// escapes) or `…`, also after key=. A line stands for one request and makes
// the events that the API server writes of it: RequestReceived and
// ResponseComplete, for a long-running request ResponseStarted between them,
// for a 401 ResponseStarted alone, and for a 400 to query=timeout=... that in
// place of ResponseComplete. Events stand in the log in order of their
// stageTimestamp.
//
//	time      when the request was received: 09:00:00.5 (on 2026-01-05), an
//	          RFC 3339 time, or +2.5s after the line before (its last repetition)
//	user      - is none. Groups follow as the API server sets them
//	resource  resource[.group][/subresource], or the path of a request that
//	          has no resource: it begins with /
//	object    namespace/name, namespace/ (all of it, or a create whose name is
//	          not known), name (of a cluster's object), or -. The name of a
//	          watch or list is a field selector on it. The name of a create
//	          is absent in RequestReceived
//	code      - is no answer: the request is never answered (RequestReceived alone)
//
// Keys of the request:
//
//	dur=7.002s    from receipt to the end; 5ms if absent. dur=open: it never
//	              ends. A long-running request answered below 400 must have it
//	started=50ms  from receipt to ResponseStarted; 1ms if absent
//	stage=A,B     only these stages are in the log
//	omit=A,B      all stages but these
//	panic=TEXT    it ends in stage Panic, with the message that this value makes
//	level=Request the level; Metadata if absent, or what the bodies need
//	rv=376        resourceVersion: asked for by a get, list or watch, sent as a
//	              precondition (in objectRef) by any other verb
//	query=a=1&b=2 more of the query; for a watch, watch=true is there
//	fields=, labels=  field and label selector
//	ip=A,B        source IPs, the peer last; 10.0.0.1 if absent
//	ua=TEXT       user agent; client/v1 if absent. ua=- is none
//	as=USER       impersonated user
//	groups=A,B    other groups
//	reason=, msg= of the response's status; the reason follows from the code
//	request='{…}', response='{…}'  bodies
//	version=v1beta1  the resource's version; v1 if absent
//	ann.KEY=VALUE an annotation of the stages past RequestReceived
//	id=TEXT       audit ID; made of the line's number if absent
//	log=cp1       the log it stands in; audit.log if absent
//	select=no     it lies outside of --since, --until or --where
//
//	repeat=45 every=7s  the line 45 times. {n} in a column or value counts
//	              from 0; {n+376} from 376; {n*3+376} from 376 in steps of 3
//
// Other lines:
//
//	with ip=10.0.0.11 omit=RequestReceived   keys for the lines below, until
//	              the next with; a line's own keys win
//	{"kind":"Event",…}   an event as it stands, put in order like the others
//	# …           a comment
//
// # Wants
//
//	# want "critical confirmed services.* 376" rounds=45 kind=same-rv
//	# want `warning likely` subject.namespace=shop caveat="no write" # a remark
//
// A want is a regular expression for "severity confidence title" of a finding
// whose earliest evidence is an event of the line. What follows it must hold
// too: a detail's value as JSON has it (text without its quotes); count, first
// and last; subject.FIELD; caveat=, a regular expression that some caveat
// matches. A line may want several findings. Every finding must be wanted and
// every want met, one by one.
//
// # The law
//
// Whatever the case says, Run observes it again: cut in two at every place
// (long logs at random places), dealt at random to several states merged in
// random order, shuffled, each state sent through JSON before it is merged.
// The findings must not change by a byte. Report must not change the state,
// whatever the options. Events are wiped when Observe returns, so a state that
// keeps a part of one is caught. Nothing may panic when fields of the case's
// events are missing. What happens at random comes from a seed that a failing
// test prints; go test -seed repeats it.
//
// Findings are held to their form: a subject, a title of one line, a window
// within the log in which some of the evidence lies, one to MaxEvidence lines
// that are in the log, at most MaxMarks marks, an id of their own. A state must
// be a struct that encoding/json writes whole. doc.md must have its sections,
// name every option, and begin the last section with a paragraph that can stand
// beside a finding (see [analysis.Analyzer.Remedies]). One case at least must fire and one stay silent.
package analysistest
