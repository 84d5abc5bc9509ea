package analysis_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

func client(user, agent, ip string) analysis.Client {
	return analysis.Client{User: audit.Intern(user), UserAgent: audit.Intern(agent), SourceIP: audit.Intern(ip)}
}

func TestClientsAreOneProgramByUserOrByProductAndAddress(t *testing.T) {
	manager := client("system:kube-controller-manager", "kcm/v1.10.2 (linux) shared-informers", "10.0.0.11")
	for _, c := range []struct {
		what  string
		other analysis.Client
		want  bool
	}{
		{"the same user elsewhere", client("system:kube-controller-manager", "kcm/v1.10.3", "10.0.0.12"), true},
		{"one of its controllers", client("system:serviceaccount:kube-system:endpoint-controller", "kcm/v1.10.2 (linux) endpoint-controller", "10.0.0.11"), true},
		{"another program on its node", client("system:kube-scheduler", "scheduler/v1.10.2", "10.0.0.11"), false},
		{"its version on another node", client("alice", "kcm/v1.10.2", "10.0.0.12"), false},
	} {
		if got := manager.SameAs(c.other); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
	if client("", "", "10.0.0.1").SameAs(client("", "", "10.0.0.1")) {
		t.Error("clients without user and agent are taken for one")
	}
}

func TestPlainTextIsOneLineOfPrintableCharacters(t *testing.T) {
	for text, want := range map[string]string{
		`pods "web" in prod`: `pods "web" in prod`,
		"a\nb":               `a\nb`,
		"\x1b[31mred\x7f":    `\x1b[31mred\x7f`,
		"na\u00efve \u202e":  "na\u00efve \\u202e",
		"bad \xff":           `bad \xff`,
	} {
		if got := analysis.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestANameWithoutANamespaceIsThatNameInAll(t *testing.T) {
	facts := analysis.NewFacts()
	services := audit.Intern("services")
	for i, namespace := range []string{"shop", "data", "shop"} {
		name := []string{"web", "web", "cobweb"}[i]
		facts.Observe(&audit.Event{
			Stage: audit.StageResponseComplete, Verb: audit.VerbCreate, Code: 201, Received: 10, At: 20,
			Resource: services, Namespace: audit.Intern(namespace), Name: audit.View(name),
		}, true)
	}
	for namespace, want := range map[string]int{"": 2, "shop": 1, "quiet": 0} {
		scope := analysis.Scope{Resource: services, Namespace: audit.Intern(namespace)}
		if got := facts.NamedChangesWithin(scope, "web", 0, 30); got != want {
			t.Errorf("in namespace %q: got %d, want %d", namespace, got, want)
		}
	}
}
