package who

import (
	"fmt"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// deletions returns a collector of many deployments that a client deleted, and
// of their replica sets and pods, which the garbage collector did.
func deletions(deployments int) *Collector {
	c, err := NewCollector(&Question{Deed: "deleted", Resource: "pods", Name: "*"}, func(*audit.Event) bool { return true })
	if err != nil {
		panic(err)
	}
	const gc = "system:serviceaccount:kube-system:generic-garbage-collector"
	begin := audit.Time(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).UnixNano())
	for i := range deployments {
		deed := func(nth int, user, resource, suffix string) *Deed {
			at := begin.Add(time.Duration(3*i+nth) * 10 * time.Millisecond)
			return &Deed{sure: true, Record: &query.Record{
				Time: at, Received: at, Verb: "delete", Code: 200, User: user, Resource: resource,
				Namespace: "shop", Name: fmt.Sprintf("web-%d%s", i, suffix), AuditID: fmt.Sprintf("%d-%d", i, nth),
			}}
		}
		c.leads.add(deed(0, "alice", "deployments", ""))
		c.leads.add(deed(1, gc, "replicasets", "-7d4b"))
		c.deeds.add(deed(2, gc, "pods", "-7d4b-x2x4z"))
	}
	return c
}

func TestADeedIsComparedWithDeedsOfItsOwnNamesOnly(t *testing.T) {
	x := newIndex(deletions(1000))
	if len(x.deleted) == 0 {
		t.Fatal("no deletion is found by name: this shows nothing")
	}
	for at, deeds := range x.deleted {
		if len(deeds) > 1 {
			t.Errorf("%d deeds are compared for %v, want 1", len(deeds), at)
		}
	}
	for object, deeds := range x.written {
		if len(deeds) > 1 {
			t.Errorf("%d deeds are compared for %v, want 1", len(deeds), object)
		}
	}
}

func TestStemsAreTheNamesThatANameMayBeMadeOf(t *testing.T) {
	for name, want := range map[string][]string{
		"web-7d4b-x2x4z": {"web-7d4b", "web"}, "web": nil, "-web": nil, "": nil, "web--x": {"web-", "web"},
	} {
		var got []string
		for stem := range stems(name) {
			got = append(got, stem)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("stems of %q: got %q, want %q", name, got, want)
		}
	}
}

// BenchmarkAnswer shows that an answer takes time by the deed, not by their
// square.
func BenchmarkAnswer(b *testing.B) {
	for _, pods := range []int{500, 4000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				c := deletions(pods)
				b.StartTimer()
				if n := len(c.Answer(Words{}).Answers); n != pods {
					b.Fatalf("got %d answers, want %d", n, pods)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pods), "ns/pod")
		})
	}
}
