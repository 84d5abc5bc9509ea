package query_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// exec is the event that the filters below are asked about.
func exec() *audit.Event {
	return &audit.Event{
		Verb: audit.VerbCreate, User: audit.Intern("alice"), As: audit.Intern("admin"),
		UserAgent: audit.Intern("kubectl/v1.33.0 (linux/amd64) kubernetes/abc"),
		SourceIPs: []audit.Sym{audit.Intern("203.0.113.9"), audit.Intern("10.0.0.7")},
		Resource:  audit.Intern("pods"), Subresource: audit.SubExec, Namespace: audit.Intern("shop"), Name: audit.View("web-0"),
		AuditID: audit.View("a1"), Code: 101, Level: audit.LevelMetadata, Stage: audit.StageResponseComplete,
		Received: 1_000_000, At: 61_000_000,
	}
}

// scaling is another one, of a group, that failed.
func scaling() *audit.Event {
	return &audit.Event{
		Verb: audit.VerbPatch, User: audit.Intern("bob"), UserAgent: audit.Intern("curl/8.5"),
		SourceIPs: []audit.Sym{audit.Intern("10.1.0.8")},
		Resource:  audit.Intern("deployments"), Group: audit.Intern("apps"), Subresource: audit.Intern("scale"),
		Namespace: audit.Intern("shop-eu"), Name: audit.View("web"), AuditID: audit.View("a2"),
		Code: 503, Level: audit.LevelRequest, Stage: audit.StageResponseComplete, Received: 1_000_000, At: 3_000_000,
	}
}

// received is the first stage of a list: it has no code.
func received() *audit.Event {
	return &audit.Event{
		Verb: audit.VerbList, User: audit.Intern("carol"), Resource: audit.Intern("nodes"), AuditID: audit.View("a3"),
		Level: audit.LevelMetadata, Stage: audit.StageRequestReceived, Received: 5_000_000, At: 5_000_000,
	}
}

func TestAFilterChoosesWhatItAsksFor(t *testing.T) {
	type f = query.Filter
	list := func(values ...string) []string { return values }
	for want, filters := range map[string][]f{
		"exec scaling received": {{}, {Users: list("*")}, {Users: list("!dave")}, {Names: list("!db-0")}},
		"exec": {
			{Users: list("alice")},
			{Users: list("al*")},
			{Users: list("/^al/")},
			{As: list("*")},
			{As: list("alice,admin")},
			{SourceIPs: list("10.0.0.7,10.9.0.1")},
			{Names: list("web-0,db-0")},
			{Resources: list("po")},
			{Resources: list("Pod")},
			{Resources: list("pods/exec")},
			{Resources: list("pods.")},
			{Resources: list("*/ex*")},
			{Resources: list("/^pods/")},
			{Subresources: list("exec")},
			{SourceIPs: list("10.0.0.0/16")},
			{SourceIPs: list("203.0.113.9")},
			{SourceIPs: list("::ffff:203.0.113.9")},
			{SourceIPs: list("203.0.*")},
			{UserAgents: list("kubectl/*")},
			{UserAgents: list("*amd64*abc")},
			{Names: list("web-*")},
			{AuditIDs: list("a1")},
			{Codes: list("1xx")},
			{Codes: list("!5xx")},
			{Codes: list("!/^5/")},
			{Namespaces: list("shop")},
			{LongRunning: true},
			{LongRunning: true, SlowerThan: time.Second},
			{Verbs: list("create")},
			{Since: 6_000_000},
			{Verbs: list("create,patch"), Users: list("!bob")},
		},
		"scaling": {
			{Resources: list("deploy")},
			{Resources: list("deployments.apps")},
			{Resources: list("deploy.apps/scale")},
			{Resources: list("*.apps")},
			{Codes: list("5xx")},
			{Codes: list(">=500")},
			{Codes: list("500-599")},
			{Codes: list("50*")},
			{Codes: list("/3$/,404")},
			{As: list("!*")},
			{As: list("!admin")},
			{Failed: true},
			{SlowerThan: time.Second},
			{Levels: list("request")},
			{SourceIPs: list("!10.0.0.0/16"), Stages: list("ResponseComplete")},
			{Until: 3_000_000},
			{Namespaces: list("shop-*")},
			{Names: list("web")},
		},
		"received":         {{Stages: list("requestreceived")}, {Subresources: list("!*")}, {Resources: list("no/")}, {Namespaces: list("!*")}},
		"exec scaling":     {{Stages: list("ResponseComplete")}, {Codes: list("!404")}, {Codes: list("*")}, {Codes: list("!/4/")}, {Resources: list("!nodes")}, {Codes: list("101,503")}, {Users: list("alice", "bob")}, {Users: list("alice,bob")}, {AuditIDs: list("a1,a2")}},
		"exec received":    {{Levels: list("Metadata")}, {Users: list("!b*")}, {Resources: list("!deployments")}},
		"scaling received": {{UserAgents: list("!kubectl/*")}, {SourceIPs: list("!203.0.113.9")}, {Until: 5_000_000}},
		"": {
			{Resources: list("deployments.")},
			{Resources: list("pods/")},
			{Names: list("web", "!web")},
			{Codes: list("404")},
			{Codes: list("40*")},
			{Codes: list("!*")},
			{Codes: list("<500"), Failed: true},
			{SlowerThan: time.Minute},
			{Namespaces: list("sho")},
			{AuditIDs: list("*x*")},
		},
	} {
		for _, filter := range filters {
			condition, err := filter.Compile()
			if err != nil {
				t.Errorf("%+v: %v", filter, err)
				continue
			}
			matches := condition.Matcher()
			for range 2 { // the second time from memory
				var got []string
				for _, c := range []struct {
					name  string
					event *audit.Event
				}{{"exec", exec()}, {"scaling", scaling()}, {"received", received()}} {
					if matches(c.event) {
						got = append(got, c.name)
					}
				}
				if strings.Join(got, " ") != want {
					t.Errorf("%+v: got %v, want %q", filter, got, want)
				}
			}
		}
	}
}

func TestTheBeginningOfACreateHasNoNameYet(t *testing.T) {
	create := audit.Event{Verb: audit.VerbCreate, Resource: audit.Intern("pods"), Stage: audit.StageRequestReceived}
	list := audit.Event{Verb: audit.VerbList, Resource: audit.Intern("pods"), Stage: audit.StageRequestReceived}
	ended := create
	ended.Stage, ended.Code = audit.StageResponseComplete, 201
	for value, want := range map[string][3]bool{"!web": {false, true, true}, "web": {}, "!*": {false, true, true}, "*": {}} {
		condition, err := query.Filter{Names: []string{value}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		matches := condition.Matcher()
		if got := [3]bool{matches(&create), matches(&list), matches(&ended)}; got != want {
			t.Errorf("--name %s: got %v of a create's beginning, a list's, and a create's end, want %v", value, got, want)
		}
	}
}

func TestWhatCantBeMeantIsRefused(t *testing.T) {
	for want, filter := range map[string]query.Filter{
		"--verb delte: there is no such verb":                                                                    {Verbs: []string{"get,delte"}},
		"--stage Complete: it must be RequestReceived, ResponseStarted, ResponseComplete, Panic":                 {Stages: []string{"Complete"}},
		"--level !meta: it must be Metadata, Request, RequestResponse":                                           {Levels: []string{"!meta"}},
		"--code 40x: it must be a code from 100 to 599, such as 404, 5xx, 40*, 400-499 or '>=500', or panic":     {Codes: []string{"40x"}},
		"--code 6xx: it must be a code from 100 to 599, such as 404, 5xx, 40*, 400-499 or '>=500', or panic":     {Codes: []string{"6xx"}},
		"--code 499-400: it must be a code from 100 to 599, such as 404, 5xx, 40*, 400-499 or '>=500', or panic": {Codes: []string{"499-400"}},
		"--code 700: it must be a code from 100 to 599, such as 404, 5xx, 40*, 400-499 or '>=500', or panic":     {Codes: []string{"700"}},
		"--source-ip 10.0.0.0/99: it is neither an address nor a network":                                        {SourceIPs: []string{"10.0.0.0/99"}},
		"--source-ip !10.0.0.300: it is neither an address nor a network":                                        {SourceIPs: []string{"!10.0.0.300"}},
		"--user /(/: missing closing ): `(`":                                                                     {Users: []string{"/(/"}},
		`--user "": a value is empty`:                                                                            {Users: []string{""}},
		`--as "!": a value is empty`:                                                                             {As: []string{"!"}},
		`--source-ip "": a value is empty`:                                                                       {SourceIPs: []string{","}},
		`--namespace "": a value is empty`:                                                                       {Namespaces: []string{"shop,"}},
		`--user-agent "": a value is empty`:                                                                      {UserAgents: []string{""}},
		`--name "": a value is empty`:                                                                            {Names: []string{"web-0,,web-1"}},
		"--resource /[/: missing closing ]: `[`":                                                                 {Resources: []string{"/[/"}},
	} {
		_, err := filter.Compile()
		e, ok := errors.AsType[*query.ValueError](err)
		if !ok || e.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestNamesThatUsersHaveForResources(t *testing.T) {
	for typed, want := range map[string]string{
		"po": "pods", "Deployment": "deployments", "ep": "endpoints", "svc": "services", "sts": "statefulsets",
		"endpoints": "endpoints", "certificates": "certificates",
	} {
		if got := query.Plural(typed); got != want {
			t.Errorf("%s: got %s, want %s", typed, got, want)
		}
	}
}

// BenchmarkMatcher is what a filter costs an event: it must be little beside
// decoding one, some 700 ns.
func BenchmarkMatcher(b *testing.B) {
	condition, err := query.Filter{Verbs: []string{"delete", "patch"}, Resources: []string{"po"}, Users: []string{"/^system:/"}}.Compile()
	if err != nil {
		b.Fatal(err)
	}
	matches, e := condition.Matcher(), scaling()
	b.ReportAllocs()
	for b.Loop() {
		matches(e)
	}
}

func TestTheCodeOfAPanicIsPanic(t *testing.T) {
	for value, want := range map[string]bool{"panic": true, "!panic": false, "panic,404": true, "404": false, "p*": true, "!/^pan/": false, "50*": true, "40*": false} {
		condition, err := query.Filter{Codes: []string{value}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		if got := condition.Matcher()(&audit.Event{Stage: audit.StagePanic, Code: 500}); got != want {
			t.Errorf("--code %s: got %v, want %v", value, got, want)
		}
	}
}
