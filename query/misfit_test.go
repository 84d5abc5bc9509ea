package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// why returns what a filter has to say of choosing none of the events.
func why(t *testing.T, f query.Filter, workers ...[]*audit.Event) string {
	t.Helper()
	c, err := f.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, events := range workers {
		matches := c.Matcher()
		for _, e := range events {
			matches(e)
		}
	}
	var all []string
	for _, m := range c.Misfits() {
		all = append(all, fmt.Sprintf("%s %s alone=%t near=%s", m.Flag, strings.Join(m.Values, ","), m.Alone, strings.Join(m.Near, ",")))
	}
	return strings.Join(all, "; ")
}

func TestAMisfitIsTheFlagThatFitsNothing(t *testing.T) {
	list := func(values ...string) []string { return values }
	events := []*audit.Event{exec(), scaling(), received()}
	for _, c := range []struct {
		filter query.Filter
		want   string
	}{
		{query.Filter{Users: list("alcie")}, "--user alcie alone=true near=alice"},
		{query.Filter{Users: list("Alice"), Namespaces: list("shop")}, "--user Alice alone=true near=alice"},
		{query.Filter{Namespaces: list("sho"), Users: list("dave")}, "--namespace sho alone=true near=shop,shop-eu; --user dave alone=true near="},
		{query.Filter{Resources: list("deploymets")}, "--resource deploymets alone=true near=deployments"},
		{query.Filter{Resources: list("pods/exe")}, "--resource pods/exe alone=true near=pods/exec"},
		{query.Filter{UserAgents: list("kubectl")}, "--user-agent kubectl alone=true near=kubectl/v1.33.0 (linux/amd64) kubernetes/abc"},
		{query.Filter{Names: list("wed")}, "--name wed alone=true near=web"},
		{query.Filter{Names: list("web-1"), Resources: list("nodes")}, "--name web-1 alone=true near="}, // no node is called so
		{query.Filter{Names: list("web-1"), Resources: list("pods")}, "--name web-1 alone=true near=web-0"},
		{query.Filter{Users: list("al-*")}, "--user al-* alone=true near="},
		{query.Filter{Users: list("alice"), Verbs: list("list")}, "--user alice alone=false near="},
		{query.Filter{Since: 100_000_000}, "--since 1970-01-01T00:01:40.000000Z alone=true near="},
		{query.Filter{Codes: list("404")}, "--code 404 alone=true near="},
		{query.Filter{Users: list("!*")}, "--user !* alone=true near="},
		{query.Filter{Users: list("bob")}, ""},
	} {
		if got := why(t, c.filter, events); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.filter, got, c.want)
		}
		reversed := slices.Clone(events)
		slices.Reverse(reversed)
		if got := why(t, c.filter, reversed[:1], reversed[1:], nil); got != c.want {
			t.Errorf("%+v, by other workers:\n got %s\nwant %s", c.filter, got, c.want)
		}
	}
	if got := why(t, query.Filter{Users: list("alcie")}, nil); got != "" {
		t.Errorf("of no event: %s", got)
	}
}

// TestMisfitsNameTheNearest: of more users than are told, whoever comes first.
func TestMisfitsNameTheNearest(t *testing.T) {
	var events []*audit.Event
	for i := range 40_000 {
		events = append(events, &audit.Event{User: audit.Intern(fmt.Sprintf("node-%05d", i)), Name: audit.View(fmt.Sprintf("web-%05d", i))})
	}
	half := len(events) / 2
	f := query.Filter{Users: []string{"node-12345x"}, Names: []string{"web-3432l"}}
	want := "--user node-12345x alone=true near=node-12345,node-02345,node-10345; --name web-3432l alone=true near="
	if got := why(t, f, events); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := why(t, f, events[half:], events[:half]); got != want {
		t.Errorf("by two workers: got %s, want %s", got, want)
	}
	f.Users, want = nil, "--name web-3432l alone=true near=web-34320,web-34321,web-34322"
	if got := why(t, f, events); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
