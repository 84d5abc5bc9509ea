package timeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query/timeline"

	"github.com/kaudit/kaudit/report"
)

// at returns a second of 09:00.
func at(second int) audit.Time {
	return audit.TimeOf(time.Date(2026, 1, 5, 9, 0, second, 0, time.UTC))
}

// write makes a log of lines "seconds id stage user verb resource[/subresource]
// namespace/name code". Seconds are when the request was received, and after a
// dash those of the stage. It returns where each line begins, by its id and stage.
func write(lines string) (log []byte, places map[string]timeline.Place) {
	stages := map[string]string{"?": "RequestReceived", ">": "ResponseStarted", ".": "ResponseComplete"}
	places = map[string]timeline.Place{}
	var b bytes.Buffer
	for l := range strings.Lines(strings.TrimSpace(lines) + "\n") {
		f := strings.Fields(l)
		var received, told int
		if n, _ := fmt.Sscanf(f[0], "%d-%d", &received, &told); n < 2 {
			told = received
		}
		places[f[1]+f[2]] = timeline.Place{Source: "audit.log", Offset: int64(b.Len())}
		resource, sub, _ := strings.Cut(f[5], "/")
		namespace, name, _ := strings.Cut(f[6], "/")
		status := ""
		if f[2] != "?" {
			status = `"responseStatus":{"code":` + f[7] + `},`
		}
		fmt.Fprintf(&b, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":%q,"stage":%q,"requestURI":"/x","verb":%q,"user":{"username":%q},`+
			`"objectRef":{"resource":%q,"subresource":%q,"namespace":%q,"name":%q},%s"requestReceivedTimestamp":%q,"stageTimestamp":%q}`+"\n",
			f[1], stages[f[2]], f[4], f[3], resource, sub, namespace, name, status, at(received), at(told))
	}
	return b.Bytes(), places
}

func TestTheStoryOfAFinding(t *testing.T) {
	shop := timeline.Subject{User: "alice", Namespace: "shop"}
	for _, c := range []struct {
		name    string
		subject timeline.Subject
		proofs  string // ids and stages of lines
		ends    int    // a second at which a mark ends, or 0
		silence []timeline.Silence
		pause   time.Duration
		log     string
		want    string
	}{
		{"what proves it stands alone, and parts no repeats", shop, "b.", 0, nil, 0, `
00 a . alice delete pods shop/web 200
01 b . alice delete pods shop/web 200
02 c . alice delete pods shop/web 200`, `
  alice deleted shop/pods/web: 200  [2 times until 09:00:02.000]
* alice deleted shop/pods/web: 200`},
		{"also what others did", shop, "b.", 0, nil, 0, `
00 a . alice delete pods shop/web 200
01 b . bob   delete nodes /n1 200
02 c . bob   delete nodes /n2 200`, `
  alice deleted shop/pods/web: 200
* bob deleted nodes/n1: 200`},
		{"what a mark ends with stands alone", shop, "", 1, nil, 0, `
00 a . alice delete pods shop/web 200
01 b . alice delete pods shop/web 200`, `
  alice deleted shop/pods/web: 200
* alice deleted shop/pods/web: 200`},
		{"of what the finding does not name there may be many", shop, "", 0, nil, 0, `
00 a . alice delete pods shop/web-1 200
01 b . alice delete pods shop/web-2 200
02 c . alice delete pods shop/web-2 200`, `
  alice deleted shop/pods/web-1 and 1 more: 200  [3 times until 09:00:02.000]`},
		{"of many clients, too", timeline.Subject{Resource: "pods", Clients: true}, "", 0, nil, 0, `
00 a . alice list pods shop/ 200
01 b . bob   list pods shop/ 200
02 c . carol list nodes / 200`, `
  alice and 1 more listed shop/pods: 200  [2 times until 09:00:01.000]`},
		{"of kubelets that write, too", timeline.Subject{Resource: "pods", Writes: true}, "", 0, nil, 0, `
00 a . system:node:n1 patch  pods/status shop/web-1 200
01 b . system:node:n2 patch  pods/status shop/web-2 200
02 c . rs             create pods        shop/web-3 201
03 d . system:node:n2 get    pods        shop/web-2 200`, `
  system:node:n1 and 1 more patched shop/pods/web-1/status and 1 more: 200  [2 times until 09:00:01.000]
  rs created shop/pods/web-3: 201`},
		{"a pause that is short beside the story parts no repeats", shop, "", 0, nil, 10 * time.Minute, `
000 a . alice get pods shop/web 200
500 b . alice get pods shop/web 200`, `
  alice read shop/pods/web: 200  [2 times until 09:08:20.000]`},
		{"a watch begins and ends", shop, "", 0, nil, 0, `
00    a ? alice watch pods shop/ 0
00    a > alice watch pods shop/ 200
00-30 a . alice watch pods shop/ 200`, `
  alice began to watch shop/pods: 200
  alice watched shop/pods: 200 after 30s`},
		{"the end of a short one tells all", shop, "", 0, nil, 0, `
00 a ? alice watch pods shop/ 0
00 a > alice watch pods shop/ 200
00 a . alice watch pods shop/ 200`, `
  alice watched shop/pods: 200`},
		{"sessions that do not end", shop, "", 0, nil, 0, `
00 a > alice create pods/exec shop/web-1 101
01 b > alice create pods/exec shop/web-2 101
02 c > alice create pods/exec shop/web-3 101
01-30 b . alice create pods/exec shop/web-2 101`, `
  alice opened a session (create) in shop/pods/web-1/exec and 2 more: 101  [3 times until 09:00:02.000, 2 not ended by 09:02:00.000]
  alice ended a session (create) in shop/pods/web-2/exec: 101 after 29s`},
		{"a request that is not answered, and one that may be yet", shop, "", 0, nil, 0, `
00 a ? alice list pods shop/ 0
70 b ? alice get pods shop/web 0`, `
  alice asked to list shop/pods, not ended by 09:02:00.000`},
		{"a beginning that proves it, of a request that ends", shop, "a?", 0, nil, 0, `
00    a ? alice watch pods shop/ 0
00    a > alice watch pods shop/ 200
00-30 a . alice watch pods shop/ 200`, `
* alice asked to watch shop/pods
  alice watched shop/pods: 200 after 30s`},
		{
			"a silence, short as it is, parts repeats, and comes after the last sign",
			timeline.Subject{Node: "n1"},
			"b.", 0,
			[]timeline.Silence{{Node: "n1", From: at(10), To: at(50)}},
			0,
			`
00    a . system:node:n1 update leases kube-node-lease/n1 200
10-11 b . system:node:n1 update leases kube-node-lease/n1 200
50    c . system:node:n1 update leases kube-node-lease/n1 200`, `
  system:node:n1 updated kube-node-lease/leases/n1: 200
* system:node:n1 updated kube-node-lease/leases/n1: 200 after 1s
* node n1 silent for 40s, until 09:00:50.000
  system:node:n1 updated kube-node-lease/leases/n1: 200`,
		},
		{
			"silences of several nodes at one time",
			timeline.Subject{Nodes: map[string]bool{"n1": true, "n2": true}},
			"", 0,
			[]timeline.Silence{{Node: "n2", From: at(1), To: at(119), Open: true}, {Node: "n1", From: at(3), To: at(80)}},
			0,
			`
00 a . system:node:n1 update leases kube-node-lease/n1 200
01 b . system:node:n2 update leases kube-node-lease/n2 200
02 c . system:node:n3 update leases kube-node-lease/n3 200
03 d . system:node:n1 update leases kube-node-lease/n1 200
03 e . nc             update leases kube-node-lease/n1 200`, `
  system:node:n1 and 1 more updated kube-node-lease/leases/n1 and 1 more: 200  [3 times until 09:00:03.000]
* 2 nodes silent for 1m58s at most, to the log's end: n1, n2
  nc updated kube-node-lease/leases/n1: 200`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			log, places := write(c.log)
			p := &timeline.Picker{Subjects: []timeline.Subject{c.subject}, Beginnings: true, Proofs: map[timeline.Place]*timeline.Proof{}, Ends: map[audit.Time]bool{}}
			for _, id := range strings.Fields(c.proofs) {
				p.Proofs[places[id]] = &timeline.Proof{}
			}
			if c.ends > 0 {
				p.Ends[at(c.ends)] = true
			}
			tl := tellStory(t, log, p, &timeline.Teller{Silences: c.silence, Pause: c.pause, End: at(120)})
			got, times := linesOf(t, tl)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
			if !slices.IsSorted(times) {
				t.Errorf("the lines are not in order of the times they show: %v", times)
			}
			valid(t, tl)
		})
	}
}

// linesOf returns a timeline's lines without their times, and these.
func linesOf(t *testing.T, tl *timeline.Timeline) (lines string, times []string) {
	t.Helper()
	var out, got strings.Builder
	if err := tl.Text(&out, time.UTC, report.Look{}); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(out.String()) {
		if strings.HasPrefix(l, "09:") {
			got.WriteString("\n" + strings.TrimSuffix(l[24:], "\n"))
			times = append(times, l[:len("09:00:00.000")])
		}
	}
	return got.String(), times
}

func TestWhatAKilledServerHadOpenEndedThen(t *testing.T) {
	log, _ := write(`
00    a > alice create pods/exec shop/web-1 101
01    b > alice create pods/exec shop/web-2 101
02    c > alice watch pods shop/ 200
03    d ? alice list pods shop/ 0
04-05 e . alice create pods shop/web-3 201
40    f > alice watch pods shop/ 200
41    g > alice create pods/exec shop/web-3 101`)
	p := &timeline.Picker{Subjects: []timeline.Subject{{User: "alice"}}, Beginnings: true}
	restarts := []timeline.Restart{{Log: "other.log", From: at(1), To: at(3)}, {Log: "audit.log", From: at(5), To: at(35)}}
	tl := tellStory(t, log, p, &timeline.Teller{Restarts: restarts, End: at(120)})
	want := `
  alice opened a session (create) in shop/pods/web-1/exec and 2 more: 101  [3 times until 09:00:41.000, 2 ended when its API server stopped, between 09:00:05.000 and 09:00:35.000, 1 not ended by 09:02:00.000]
  alice began to watch shop/pods: 200  [2 times until 09:00:40.000, 1 ended when its API server stopped, between 09:00:05.000 and 09:00:35.000]
  alice asked to list shop/pods, ended when its API server stopped, between 09:00:05.000 and 09:00:35.000
  alice created shop/pods/web-3: 201 after 1s`
	if got, _ := linesOf(t, tl); got != want {
		t.Errorf("want -, got +\n%s", cmp.Diff(want, got))
	}
	valid(t, tl)
}

// valid checks a timeline against the schema.
func valid(t *testing.T, tl *timeline.Timeline) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/timeline.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tl)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Error(err)
	}
}
