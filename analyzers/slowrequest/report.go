package slowrequest

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatConstant = "the log names no webhook: writes that take whole seconds look like a webhook's timeout, but a handler with a timer of its own looks the same"
	caveatUnsplit  = "the API server did not write where the time went: old versions don't, nor do 1.34 and 1.35.0"
)

// A candidate is what Report hands on to Group: the slow requests of one client
// and kind, or of several that Group joined.
type candidate struct {
	key     analysis.Key
	state   *State
	clients map[analysis.Client]bool
	kinds   map[analysis.Key]bool // of requests: keys without the client
	// replicas is set for one program that is slow as a rule at many addresses.
	replicas bool
}

const candidateKey = "candidate"

func newCandidate(key analysis.Key, s *State) *candidate {
	return &candidate{
		key: key, state: s,
		clients: map[analysis.Client]bool{key.Client(): true}, kinds: map[analysis.Key]bool{kindOf(key): true},
	}
}

func kindOf(key analysis.Key) analysis.Key {
	key.User, key.UserAgent, key.SourceIP = audit.Sym{}, audit.Sym{}, audit.Sym{}
	return key
}

// Report hands a state with slow requests on to Group, which joins clients.
func (s *State) Report(p *analysis.Pass) {
	if s.Slow != nil && s.Slow.Took.Max() >= p.Duration(optSlow) {
		p.Report(analysis.Finding{Subject: p.Key.Subject(), Details: analysis.Details{
			"kind": p.Key.Kind.String(), candidateKey: newCandidate(p.Key, s),
		}})
	}
}

// worth returns the candidate's finding and whether to report it. Information is
// worth it if there are enough slow requests, and more than a busy server's tail
// of slow ones.
func (c *candidate) worth(p *analysis.Pass) (analysis.Finding, bool) {
	f, least := c.finding(p), max(1, p.Int(optLeast))
	if f.Severity == analysis.Warning {
		return f, true
	}
	slow := p.Duration(optSlow)
	return f, f.Count >= least && (c.state.quantile(0.95) >= slow || f.Details.Int("verySlow") >= least)
}

// A verdict says why a candidate's requests are slow, and how many are.
type verdict struct {
	cause    string // "webhook", the part of the split that took most, or ""
	named    bool   // the log names the webhook that timed out
	second   int    // the whole second that many writes took: see Slow.constant
	constant int64  // how many took it; 0 if there is none
	slow     int64  // requests that took as long as option slow says
	verySlow int64  // and as option very-slow says
	asRule   bool   // the very slow ones are a large share of all
}

// warns reports whether the finding is a warning; else it is information.
func (v *verdict) warns() bool { return v.named || v.constant > 0 || v.asRule }

// judge weighs a candidate by the options: slow as a rule, or for a webhook, or now and then.
func (c *candidate) judge(p *analysis.Pass) (v verdict) {
	s, many := c.state.Slow, max(1, p.Int(optWebhook))
	v.cause = s.Split.most()
	v.slow = s.atLeast(p.Duration(optSlow))
	if very := p.Duration(optVerySlow); very <= s.Took.Max() {
		v.verySlow = s.Took.AtLeast(very)
	}
	n := c.state.count()
	v.asRule = c.replicas || len(c.clients) == 1 && len(c.kinds) == 1 && n >= int64(p.Int(optRequests)) && v.verySlow > 0 &&
		(float64(v.verySlow) >= p.Float(optShare)*float64(n) || c.forAWhile(p, &v))
	v.second, v.constant = s.constant(many)
	v.named = s.Failed+s.FailedOpen >= int64(many)
	if v.named || v.constant > 0 || v.cause == "mutating-webhook" || v.cause == "validating-webhook" {
		v.cause = "webhook"
	}
	return v
}

// finding returns what is told of a candidate. Latencies in its details are in seconds.
func (c *candidate) finding(p *analysis.Pass) analysis.Finding {
	v, s := c.judge(p), c.state.Slow
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Count: int(v.slow),
		Subject: c.subject(), Evidence: c.evidence(&v),
		Details: analysis.Details{
			"kind": c.key.Kind.String(), "verb": c.key.Kind.String(), "clients": len(c.clients),
			"requests": int(c.state.count()), "slow": int(v.slow), "verySlow": int(v.verySlow), "refused": int(s.Refused),
			"p50Seconds": seconds(c.state.quantile(0.5)), "p95Seconds": seconds(c.state.quantile(0.95)),
			"p99Seconds": seconds(c.state.quantile(0.99)), "maxSeconds": seconds(s.Took.Max()),
			"buckets": c.state.buckets(), "cause": v.cause, "split": s.Split.seconds(), "annotated": int(s.Split.N),
			"webhook": c.webhook(), "failed": int(s.Failed), "failedOpen": int(s.FailedOpen), "constantSeconds": v.second,
		},
	}
	if v.warns() {
		f.Severity = analysis.Warning
	}
	if v.failing(s) {
		f.Count = int(s.Failed)
	}
	if v.constant > 0 && !v.named {
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatConstant)
	}
	if s.Split.N == 0 && !v.named && v.cause != queueWait {
		f.Caveats = append(f.Caveats, caveatUnsplit)
	}
	f.Marks, f.First, f.Last = c.marks(&f, p.Duration(optSlow))
	f.Title = c.title(p, &v)
	return f
}

// subject is that of the key. If joining left nothing of it, it is the webhook,
// or "/" for paths without a resource.
func (c *candidate) subject() analysis.Subject {
	subject := c.key.Subject()
	switch {
	case subject != (analysis.Subject{}):
	case len(c.kinds) > 1 && c.webhook() != "":
		subject.APIGroup, subject.Name = "admissionregistration.k8s.io", c.webhook()
	default:
		subject.Name = "/" // no name, no program, no address, no resource
	}
	return subject
}

// webhook returns the names of the webhooks that timed out, separated by commas.
func (c *candidate) webhook() string {
	names := ""
	for i, name := range c.state.Slow.Hooks.Members() {
		if i > 0 {
			names += ", "
		}
		names += analysis.Plain(name)
	}
	return names
}

// evidence cites the requests that prove the cause, or else the slowest.
func (c *candidate) evidence(v *verdict) []analysis.Evidence {
	s := c.state.Slow
	switch {
	case v.named:
		return analysis.Cite(s.HookRefs.Refs...)
	case v.constant > 0:
		return analysis.Cite(s.WholeRefs.Refs...)
	}
	var refs []audit.Ref
	for _, l := range s.Longest.Items {
		refs = append(refs, l.Ref)
	}
	return analysis.Cite(refs...)
}

// marks draws the requests that took limit or longer, and returns when the first
// and the last of them was. While all are kept there is a mark for each, else a
// mark for each step of time.
func (c *candidate) marks(f *analysis.Finding, limit time.Duration) (marks []analysis.Mark, first, last audit.Time) {
	var span tally.Span
	for _, l := range c.state.Slow.Longest.Items {
		marks = append(marks, analysis.Mark{Kind: "slow", From: l.From, To: l.Ref.Time, N: 1})
		span.Add(l.Ref.Time)
	}
	for i := range f.Evidence {
		span.Add(f.Evidence[i].Time)
	}
	doubled := &c.state.Slow.Doubled
	n, _ := doubling(limit)
	if total, _ := doubled.atLeast(limit); total > int64(len(marks)) {
		marks = marks[:0]
		for _, one := range doubled.Spans[n:] {
			span.Merge(one)
		}
		for step, counts := range doubled.Steps.All() {
			if slow := counts.from(n); slow > 0 {
				marks = append(marks, analysis.Mark{Kind: "slow", From: max(step.From, span.First), To: min(step.To, span.Last), N: int(slow)})
			}
		}
	}
	return analysis.Coarsen(marks), span.First, span.Last
}

// failing reports whether most requests that the webhook held up failed, which
// is worse than being slow.
func (v *verdict) failing(s *Slow) bool { return v.named && s.Failed > s.FailedOpen }

// what names the kind of requests, or how many kinds there are.
func (c *candidate) what() string {
	if len(c.kinds) > 1 {
		return fmt.Sprintf("make %d kinds of writes", len(c.kinds))
	}
	what := c.key.Resource.String()
	if what == "" {
		what = "paths without a resource"
	}
	if sub := c.key.Subresource.String(); sub != "" {
		what += "/" + sub
	}
	if verb := c.key.Kind.String(); verb != "" {
		what = verb + " " + what
	}
	return what
}

// some says how many of the requests a title is about.
func (c *candidate) some(n int64) string {
	if len(c.clients) > 1 {
		whose := ""
		if user := c.key.User.String(); user != "" {
			whose = " of " + user
		}
		return fmt.Sprintf("%d requests of %d clients%s to %s", n, len(c.clients), whose, c.what())
	}
	return fmt.Sprintf("%d of %d requests of %s to %s", n, c.state.count(), c.key.Client().Text(), c.what())
}

// ofAll says how many requests several clients made in all. Clients without a
// slow request are not among them.
func (c *candidate) ofAll() string {
	if len(c.clients) > 1 {
		return fmt.Sprintf(", of %d that these clients made", c.state.count())
	}
	return ""
}

func (c *candidate) title(p *analysis.Pass, v *verdict) string {
	s := c.state.Slow
	head := fmt.Sprintf("%s took %s or more, at most %s%s", c.some(v.slow),
		p.Duration(optSlow), analysis.Short(s.Took.Max()), c.ofAll())
	switch {
	case v.failing(s):
		return analysis.Plain(fmt.Sprintf("%s failed%s because webhook %s timed out; the longest took %s",
			c.some(s.Failed), c.ofAll(), c.webhook(), analysis.Short(s.Took.Max())))
	case v.named:
		head += fmt.Sprintf(": webhook %s timed out, %d went on without it", c.webhook(), s.FailedOpen)
	case v.constant > 0:
		head += fmt.Sprintf(": %d took %d s exactly, as if a webhook timed out", v.constant, v.second)
	case v.cause != "":
		head += "; " + wentTo(v.cause)
	}
	return analysis.Plain(head)
}

// wentTo says where most of the time went: see Split.most.
func wentTo(cause string) string {
	switch cause {
	case restOfSplit:
		return "the API server's annotations don't account for most of the time"
	case queueWait:
		return "most of the time went to waiting in a queue (" + queueWait + ")"
	case "webhook":
		return "most of the time went to webhooks"
	}
	return "most of the time went to " + cause
}

func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }
