package slowrequest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// group turns candidates into findings. A warning stands alone, unless one
// webhook holds up many clients, or one program is slow at many addresses. The
// rest is joined where many clients are slow at the same kind of request, or
// where one webhook holds up many kinds.
func group(p *analysis.Pass, found []analysis.Finding) []analysis.Finding {
	all := make([]*candidate, len(found))
	for i := range found {
		all[i] = found[i].Details[candidateKey].(*candidate)
	}
	var findings []analysis.Finding
	warned, rest := joined(p, all)
	for _, c := range warned {
		findings = append(findings, c.finding(p))
	}
	for _, c := range rest {
		if f, ok := c.worth(p); ok {
			findings = append(findings, f)
		}
	}
	slices.SortFunc(findings, func(f, g analysis.Finding) int {
		return cmp.Or(f.Compare(&g), cmp.Compare(f.Details.Text("kind"), g.Details.Text("kind")))
	})
	return findings
}

// joined joins candidates as group says, and returns those that are worth a warning, and
// the rest.
func joined(p *analysis.Pass, all []*candidate) (warned, rest []*candidate) {
	keep := func(c *candidate) {
		if v := c.judge(p); v.warns() {
			warned = append(warned, c)
		} else {
			rest = append(rest, c)
		}
	}
	for _, list := range gather(all, (*candidate).hook) {
		if one := join(list); len(one.clients) > max(1, p.Int(optClients)) && one.webhook() != "" && one.judge(p).named {
			list = []*candidate{one}
		}
		for _, c := range list {
			keep(c)
		}
	}
	warned, rest = joinReplicas(p, warned, rest)
	for _, by := range []func(*candidate) any{(*candidate).kind, (*candidate).hook, (*candidate).held} {
		sets := gather(rest, by)
		rest = nil
		for _, list := range sets {
			if all := join(list); worthJoining(p, list, all) {
				list = []*candidate{all}
			}
			for _, c := range list {
				keep(c)
			}
		}
	}
	return warned, rest
}

// joinReplicas joins the candidates of a program that is slow as a rule at many
// addresses. Those at which it is slow now and then join them.
func joinReplicas(p *analysis.Pass, warned, rest []*candidate) (all, others []*candidate) {
	for _, list := range gather(warned, func(c *candidate) any { return c.ofProgram(p) }) {
		if len(list) > max(1, p.Int(optClients)) {
			alike := func(c *candidate) bool { return c.program() == list[0].program() }
			more := slices.DeleteFunc(slices.Clone(rest), func(c *candidate) bool { return !alike(c) })
			rest = slices.DeleteFunc(rest, alike)
			one := join(append(list, more...))
			one.replicas = true
			list = []*candidate{one}
		}
		all = append(all, list...)
	}
	return all, rest
}

// kind groups candidates by the kind of request, whoever makes it.
func (c *candidate) kind() any { return kindOf(c.key) }

// hook groups candidates by the webhooks that timed out, if the log names any: an
// installation may write many kinds of objects, each once.
func (c *candidate) hook() any {
	if name := c.webhook(); name != "" {
		return name
	}
	return c
}

// ofProgram groups candidates that are slow as a rule by program and kind of
// request.
func (c *candidate) ofProgram(p *analysis.Pass) any {
	if v := c.judge(p); !v.asRule || v.cause == "webhook" {
		return c
	}
	return c.program()
}

// program is the candidate's key without the client's address.
func (c *candidate) program() analysis.Key {
	key := c.key
	key.SourceIP = audit.Sym{}
	return key
}

// held groups candidates with writes that took whole seconds by client.
func (c *candidate) held() any {
	for _, n := range c.state.Slow.Whole {
		if n > 0 {
			return c.key.Client()
		}
	}
	return c
}

// gather groups candidates by a value that they share. Each group is in order of
// the keys; the groups are in no order.
func gather(list []*candidate, by func(*candidate) any) [][]*candidate {
	sets := map[any][]*candidate{}
	for _, c := range list {
		sets[by(c)] = append(sets[by(c)], c)
	}
	all := slices.Collect(maps.Values(sets))
	for _, set := range all {
		slices.SortFunc(set, func(a, b *candidate) int { return a.key.Compare(b.key) })
	}
	return all
}

// worthJoining reports whether the candidates of list, joined as all, are better
// told as one finding.
func worthJoining(p *analysis.Pass, list []*candidate, all *candidate) bool {
	v := all.judge(p)
	return len(list) > 1 && (v.named || v.constant > 0) ||
		len(all.kinds) == 1 && len(list) > max(1, p.Int(optClients))
}

// join makes one candidate of several, which must be in order of their keys. Its
// key keeps the parts that they have in common.
func join(list []*candidate) *candidate {
	if len(list) == 1 {
		return list[0]
	}
	all := newCandidate(list[0].key, &State{})
	for _, c := range list {
		all.state.Merge(c.state)
		maps.Copy(all.clients, c.clients)
		maps.Copy(all.kinds, c.kinds)
		for _, part := range []struct{ all, one *audit.Sym }{
			{&all.key.Kind, &c.key.Kind},
			{&all.key.User, &c.key.User},
			{&all.key.UserAgent, &c.key.UserAgent},
			{&all.key.SourceIP, &c.key.SourceIP},
			{&all.key.Group, &c.key.Group},
			{&all.key.Resource, &c.key.Resource},
			{&all.key.Subresource, &c.key.Subresource},
		} {
			if *part.all != *part.one {
				*part.all = audit.Sym{}
			}
		}
	}
	return all
}
