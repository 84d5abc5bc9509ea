package servererror

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

const (
	caveatBrief   = "it was soon over, as when what serves these requests is restarted"
	caveatEdge    = "the log, or what was chosen of it, begins or ends with these failures: how long they went on is unknown"
	caveatSeldom  = "few tried, over a long time, and nothing of what they tried to write was written meanwhile"
	caveatOther   = "the message names no cause that is known: it may lie with the requests"
	caveatWrapped = "the answer has no message: that nobody serves this API is known by its code alone, and an API server that serves it and answers 503 to some requests looks the same"
)

// Report reports the failures, unless they are few.
func (s *State) Report(p *analysis.Pass) {
	if p.Key.Kind == kindChange {
		s.reportChanges(p)
		return
	}
	failed := s.count(p.Facts.AllStarts(), p.Duration(optWindow), int64(max(1, p.Int(optFailures))))
	if failed.all < int64(max(1, p.Int(optLeast))) || p.Key.Kind == kindError && !failed.enough {
		return
	}
	asked := s.mostAsked()
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Title: s.title(p, &failed, asked),
		Count: int(failed.all), First: failed.span.First, Last: failed.span.Last,
		Subject: p.Key.Subject(), Details: s.details(p, &failed, asked),
		Marks: s.marks(failed.span), Evidence: analysis.Cite(s.Refs.Refs...),
	}
	if p.Key.Resource == (audit.Sym{}) && p.Key.Group == (audit.Sym{}) {
		f.Subject = analysis.Subject{Resource: analysis.AnyResource}
	}
	s.judge(p, &f, &failed)
	p.Report(f)
}

// judge makes a warning of failures that last, and says what speaks against the others.
func (s *State) judge(p *analysis.Pass, f *analysis.Finding, failed *failures) {
	kind, lasting := p.Key.Kind, p.Duration(optLasting)
	switch {
	case kind == kindError:
		f.Caveats = append(f.Caveats, caveatOther)
	case failed.enough && failed.longest >= lasting:
		f.Severity = analysis.Warning
	case (kind == kindWebhook || kind == kindPlugin) && failed.span.Len() >= p.Duration(optWindow) && s.barred(p, failed.span):
		f.Severity = analysis.Warning
		f.Caveats = append(f.Caveats, caveatSeldom)
	case failed.enough && atEdge(p.Facts.Chosen(), failed.span, lasting):
		f.Caveats = append(f.Caveats, caveatEdge)
	case failed.enough:
		f.Caveats = append(f.Caveats, caveatBrief)
	}
	if kind == kindAggregated && s.Said.Len() == 0 {
		f.Confidence = analysis.Likely
		f.Caveats = append(f.Caveats, caveatWrapped)
	}
}

func (s *State) details(p *analysis.Pass, failed *failures, asked []string) analysis.Details {
	d := analysis.Details{
		"kind": p.Key.Kind.String(), "failures": int(failed.all), "worstWindow": int(failed.worst), "outages": failed.outages,
		"asked": asked[:min(len(asked), toldAsked)], "clients": analysis.PlainAll(s.Users.Members()),
		"messages": analysis.PlainAll(s.Said.Members()), "called": analysis.PlainAll(s.Called.Members()),
	}
	switch p.Key.Kind {
	case kindWebhook:
		d["webhook"] = named(p)
	case kindPlugin:
		d["plugin"] = named(p)
	}
	return d
}

// atEdge reports whether failures may have gone on outside of what is chosen: less than
// what makes them last is left of it before them, or after them.
func atEdge(chosen, failed tally.Span, lasting time.Duration) bool {
	return failed.First.Sub(chosen.First) < lasting || chosen.Last.Sub(failed.Last) < lasting
}

// title says what did not serve, and what failed for it.
func (s *State) title(p *analysis.Pass, failed *failures, asked []string) string {
	within := max(time.Second, failed.span.Len()).Round(time.Second)
	what := analysis.FirstOf(2, asked)
	because := ""
	if said := analysis.PlainAll(s.Said.Members()); len(said) > 0 {
		because = " (" + said[0] + ")"
	}
	requests := fmt.Sprintf("%d requests failed within %s", failed.all, within)
	if failed.outages > 1 {
		requests = fmt.Sprintf("%d requests failed in %d outages within %s", failed.all, failed.outages, within)
	}
	switch p.Key.Kind {
	case kindWebhook:
		return fmt.Sprintf("the webhook %s%s could not be called%s, and %s: %s", named(p), at(analysis.PlainAll(s.Called.Members())), because, requests, what)
	case kindPlugin:
		return fmt.Sprintf("the admission plugin %s did not end in time%s, and %s: %s", named(p), because, requests, what)
	case kindConversion:
		return fmt.Sprintf("the webhook that converts %s failed%s, and %s: %s", p.Key.ScopeText(), because, requests, what)
	case kindAggregated:
		return fmt.Sprintf("nobody served the API %s (503)%s, and %s: %s", analysis.Plain(p.Key.Group.String()), because, requests, what)
	case kindStorage:
		return fmt.Sprintf("etcd refused requests%s, and %s: %s", because, requests, what)
	case kindEncryption:
		return fmt.Sprintf("stored %s could not be encrypted or decrypted%s, and %s: %s", p.Key.ScopeText(), because, requests, what)
	}
	return fmt.Sprintf("%s%s: %s", requests, because, what)
}

// at tells where a webhook is called, if that is one place.
func at(hosts []string) string {
	if len(hosts) != 1 {
		return ""
	}
	return " at " + hosts[0]
}

// named returns the name of the webhook, or of the plugin.
func named(p *analysis.Pass) string {
	if p.Key.Name == "" {
		return "without a name"
	}
	return analysis.Plain(p.Key.Name)
}

func (s *State) marks(span tally.Span) []analysis.Mark {
	var all []analysis.Mark
	for step, m := range s.Minutes.All() {
		if from, to := max(step.From, span.First), min(step.To, span.Last); m.Failed > 0 && from <= to {
			all = append(all, analysis.Mark{Kind: "failure", From: from, To: to, N: int(m.Failed)})
		}
	}
	return analysis.Coarsen(all)
}
