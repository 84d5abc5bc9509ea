package who_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestAScalingIsAChangeOfReplicas asks who scaled deploy/web in logs whose
// lines are as write has them; the answers are the line, the change and how
// sure it is, the latest first.
func TestAScalingIsAChangeOfReplicas(t *testing.T) {
	for _, c := range []struct{ name, log, want string }{
		{
			"an update that sets replicas to 0", `
00 alice create deployments.apps shop/web 201 {"spec":{"replicas":3}}
01 bob   update deployments.apps shop/web 200 {"spec":{"replicas":0}} {"spec":{"replicas":0}}`,
			"2 spec.replicas 3 -> 0 confirmed",
		},
		{
			"an apply that leaves replicas as they are", `
00 alice create deployments.apps shop/web 201 {"spec":{"replicas":3}}
01 bob   patch  deployments.apps shop/web 200 {"spec":{"replicas":3,"paused":true}} {"spec":{"replicas":3,"paused":true}}`,
			"",
		},
		{
			"at level Request", `
00 alice update deployments.apps shop/web 200 - {"spec":{"replicas":3}}
01 bob   patch  deployments.apps shop/web 200 - {"spec":{"paused":true}}
02 bob   patch  deployments.apps shop/web 200 - {"spec":{"replicas":5}}`,
			"3 spec.replicas 3 -> 5 confirmed",
		},
		{
			"a JSON patch", `
00 alice get   deployments.apps shop/web 200 {"spec":{"replicas":3}}
01 bob   patch deployments.apps shop/web 200 - [{"op":"test","path":"/spec/replicas","value":3}]
02 bob   patch deployments.apps shop/web 200 - [{"op":"replace","path":"/spec/replicas","value":4}]`,
			"3 spec.replicas 3 -> 4 confirmed",
		},
		{
			"a patch before which nothing is known", `
00 bob patch deployments.apps shop/web 200 - {"spec":{"replicas":3}}`,
			"1 spec.replicas = 3 possible",
		},
		{
			"a patch whose answer has as many as run", `
00 bob patch deployments.apps shop/web 200 {"metadata":{"generation":7},"spec":{"replicas":3},"status":{"replicas":3,"observedGeneration":7}} {"spec":{"replicas":3}}`,
			"",
		},
		{
			"a patch whose answer has others than run", `
00 bob patch deployments.apps shop/web 200 {"metadata":{"generation":8},"spec":{"replicas":5},"status":{"replicas":3,"observedGeneration":7}} {"spec":{"replicas":5}}`,
			"1 spec.replicas = 5 likely",
		},
		{
			"an update before which nothing is known", `
00 dc update deployments.apps shop/web 200 {"spec":{"replicas":3}} {"spec":{"replicas":3}}`,
			"",
		},
		{
			"a status says how many it had", `
00 dc  update deployments.apps/status shop/web 200 {"spec":{"replicas":3}} {"spec":{"replicas":3}}
01 bob update deployments.apps/scale shop/web 200 {"spec":{"replicas":3}} {"spec":{"replicas":3}}
02 bob update deployments.apps/scale shop/web 200 {"spec":{"replicas":2}} {"spec":{"replicas":2}}`,
			"3 spec.replicas 3 -> 2 confirmed",
		},
		{
			"what was changed without a body is not known", `
00 alice create deployments.apps shop/web 201 {"spec":{"replicas":3}}
01 carol update deployments.apps shop/web 200
02 bob   patch  deployments.apps shop/web 200 - {"spec":{"replicas":3}}`,
			"3 spec.replicas = 3 possible",
		},
		{
			"another object's replicas, and a change that failed, tell nothing", `
00 alice create deployments.apps shop/web 201 {"spec":{"replicas":3}}
01 alice create deployments.apps other/web 201 {"spec":{"replicas":9}}
02 bob   patch  deployments.apps shop/web 409 - {"spec":{"replicas":8}}
03 bob   patch  deployments.apps shop/web 200 - {"spec":{"replicas":4}}`,
			"4 spec.replicas 3 -> 4 confirmed",
		},
		{
			"at level Metadata its subresource tells", `
00 bob patch deployments.apps/scale shop/web 200
01 bob patch deployments.apps shop/web 200`,
			"1  confirmed",
		},
	} {
		var got []string
		for _, told := range ask(t, write(t, c.log), 1, 1<<20, "scaled", "deploy/web", "").Answers {
			got = append(got, fmt.Sprint(told.Deed.Line, " ", told.Change, " ", told.Confidence))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: got %q, want %q", c.name, text, c.want)
		}
	}
}

func TestWritesWithoutBodiesThatMayHaveScaledAreSaid(t *testing.T) {
	const caveat = "the log has no bodies of writes that may have scaled deployments/web, so it can't tell what they changed: by "
	for log, want := range map[string]string{
		`
00 ci  patch  deployments.apps shop/web 200
01 ci  patch  deployments.apps shop/web 200
02 bob update deployments.apps shop/web 200
03 bob update deployments.apps shop/web 409
04 dc  update deployments.apps/status shop/web 200`: caveat + "ci 10.0.0.1 (2), bob 10.0.0.1 (1)",
		`
00 ci patch deployments.apps shop/web 200 {"spec":{"replicas":3}} {"metadata":{"labels":{"a":"b"}}}`: "",
		`
00 ci get deployments.apps shop/web 200`: "",
	} {
		notes := ask(t, write(t, log), 1, 1<<20, "scaled", "deploy/web", "").Notes
		got := ""
		for _, note := range notes {
			if strings.HasPrefix(note, "the log has no bodies") {
				got = note
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", log, got, want)
		}
	}
}
