package who_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query/who"
	"github.com/kaudit/kaudit/report"
)

// write makes a log of lines "minute user verb resource[.group][/subresource]
// namespace/name code [answer [request]]", of which the last two are bodies,
// and - is none: a request takes a second.
func write(t *testing.T, lines string) []byte {
	t.Helper()
	users := map[string]string{
		"gc": "system:serviceaccount:kube-system:generic-garbage-collector", "rs": "system:serviceaccount:kube-system:replicaset-controller",
		"dc": "system:serviceaccount:kube-system:deployment-controller", "nc": "system:serviceaccount:kube-system:namespace-controller",
		"kubelet": "system:node:n1", "kcm": "system:kube-controller-manager", "cj": "system:serviceaccount:kube-system:job-controller",
	}
	var log bytes.Buffer
	for i, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		f := append(strings.Fields(line), "", "", "")
		user, ok := users[f[1]]
		if !ok {
			user = f[1]
		}
		resource, sub, _ := strings.Cut(f[3], "/")
		resource, group, _ := strings.Cut(resource, ".")
		ns, name, _ := strings.Cut(f[4], "/")
		level, body := "Metadata", ""
		if f[6] != "" && f[6] != "-" {
			level, body = "RequestResponse", `"responseObject":`+f[6]+","
		}
		if f[7] != "" {
			level, body = cmp.Or(strings.TrimPrefix(level, "Metadata"), "Request"), body+`"requestObject":`+f[7]+","
		}
		fmt.Fprintf(&log, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":%q,"auditID":"id-%d","stage":"ResponseComplete","requestURI":"/x","verb":%q,`+
			`"user":{"username":%q},"sourceIPs":["10.0.0.1"],"objectRef":{"resource":%q,"apiGroup":%q,"subresource":%q,"namespace":%q,"name":%q},`+
			`"responseStatus":{"code":%s},%s"requestReceivedTimestamp":"2026-01-05T09:%s:00.000000Z","stageTimestamp":"2026-01-05T09:%s:01.000000Z"}`+"\n",
			level, i, f[2], user, resource, group, sub, ns, name, f[5], body, f[0], f[0])
	}
	return log.Bytes()
}

// ask answers a question from a log that workers share in chunks of a size.
func ask(t *testing.T, log []byte, workers, chunk int, deed, object, namespace string) *who.Answer {
	t.Helper()
	q, err := who.Ask(deed, object, namespace)
	if err != nil {
		t.Fatal(err)
	}
	var collectors []*who.Collector
	driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", bytes.NewReader(log))}, driver.Options{
		Workers: workers, Parser: parser.Options{ChunkSize: chunk},
		Observe: func() func(*audit.Event) {
			c, err := who.NewCollector(q, func(*audit.Event) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			collectors = append(collectors, c)
			return c.Observe
		},
	})
	rand.Shuffle(len(collectors), func(i, j int) { collectors[i], collectors[j] = collectors[j], collectors[i] })
	for _, c := range collectors[1:] {
		collectors[0].Merge(c)
	}
	return collectors[0].Answer(who.Words{})
}

// chain writes an answer as "line line ... +completed (confidence of the last link)".
func chain(a *who.Answer) string {
	if len(a.Answers) == 0 {
		return "nobody"
	}
	t := a.Answers[0]
	text, sure := fmt.Sprint(t.Deed.Line), t.Confidence
	for _, l := range t.Because {
		text += fmt.Sprintf(" %d", l.Deed.Line)
		sure = l.Confidence
	}
	if t.Then != nil {
		text += fmt.Sprintf(" +%d", t.Then.Line)
	}
	if t.Times > 1 {
		text += fmt.Sprintf(" x%d", t.Times)
	}
	return text + " " + sure
}

func TestTheChainThatLedToADeed(t *testing.T) {
	for _, c := range []struct{ name, deed, object, log, want string }{
		{"a human's deletion, completed by the kubelet", "deleted", "pod/web-0", `
00 alice   delete pods shop/web-0 200
01 kubelet delete pods shop/web-0 200`, "1 +2 confirmed"},
		{"a deployment's deletion, by names", "deleted", "pod/web-7d4b-x2x4z", `
00 alice delete deployments.apps shop/web 200
01 gc    delete replicasets.apps shop/web-7d4b 200
02 gc    delete pods shop/web-7d4b-x2x4z 200`, "3 2 1 likely"},
		{"an owner whose name tells nothing, by its body", "deleted", "cm/settings", `
00 bob delete widgets.example.com shop/blue 200
01 gc  delete configmaps shop/settings 200 {"metadata":{"name":"settings","ownerReferences":[{"kind":"widgets","name":"blue"}]}}`, "2 1 confirmed"},
		{"owners of any kind, whose names tell nothing, to the last", "deleted", "pod/quux", `
00 dc    create replicasets.apps shop/ 201 {"metadata":{"name":"bar","ownerReferences":[{"apiVersion":"example.com/v1","kind":"Policy","name":"foo"}]}}
01 rs    create pods shop/ 201 {"metadata":{"name":"quux","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"bar"}]}}
02 bob   delete policies.other.org shop/foo 200
03 alice delete policies.example.com shop/foo 200
04 gc    delete replicasets.apps shop/bar 200
05 gc    delete pods shop/quux 200`, "6 5 4 confirmed"},
		{"a rollout of replica sets", "deleted", "rs/*", `
00 alice delete rollouts.argoproj.io shop/web 200
01 gc    delete replicasets.apps shop/web-abc 200 {"metadata":{"ownerReferences":[{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"web"}]}}`, "2 1 confirmed"},
		{"an owner of no namespace", "deleted", "pod/quux", `
00 gc    create pods shop/quux 201 {"metadata":{"ownerReferences":[{"kind":"Gateway","name":"blue"}]}}
01 alice delete gateways.example.com /blue 200
02 gc    delete pods shop/quux 200`, "3 2 confirmed"},
		{"another deployment's deletion is no cause", "deleted", "pod/web-7d4b-x2x4z", `
00 alice delete deployments.apps shop/we 200
00 alice delete deployments.apps other/web 200
02 gc    delete pods shop/web-7d4b-x2x4z 200`, "3 confirmed"},
		{"a deployment scaled down", "deleted", "pod/web-7d4b-x2x4z", `
00 alice patch  deployments.apps/scale shop/web 200
01 dc    update replicasets.apps shop/web-7d4b 200
02 rs    delete pods shop/web-7d4b-x2x4z 200`, "3 2 1 likely"},
		{"a namespace's deletion", "deleted", "pod/web-0", `
00 alice   delete namespaces /shop 200
01 nc      deletecollection pods shop/ 200
02 kubelet delete pods shop/web-0 200`, "3 2 1 confirmed"},
		{"a drain", "deleted", "pod/web-0", `
00 alice   patch  nodes /n2 200
01 alice   patch  nodes /n1 200
02 alice   patch  nodes /n3 200
02 alice   create pods/eviction shop/web-0 201
03 kubelet delete pods shop/web-0 200`, "4 2 +5 likely"},
		{"a drain, of all pods", "evicted", "pod/*", `
01 alice   patch  nodes /n1 200
02 alice   create pods/eviction shop/web-0 201
03 kubelet patch  pods/status shop/web-0 200`, "2 1 likely"},
		{"an eviction that a budget refused", "evicted", "pod/web-0", `
02 alice create pods/eviction shop/web-0 429`, "1 confirmed"},
		{"a deletion that failed is none", "deleted", "pod/web-0", `
00 alice get    pods shop/web-0 200
02 alice delete pods shop/web-0 403`, "nobody"},
		{"created again between two deletions", "deleted", "ep/web", `
00 kcm delete endpoints shop/web 200
01 kcm create endpoints shop/web 201
02 kcm delete endpoints shop/web 200`, "3 x2 confirmed"},
		{"endpoints with their Service", "deleted", "ep/web", `
00 alice delete services shop/web 200
01 kcm   delete endpoints shop/web 200`, "2 1 likely"},
		{"a name made by the server, in the body", "created", "pod/web-x1", `
00 rs create pods shop/ 201 {"metadata":{"name":"web-x0"}}
01 rs create pods shop/ 201 {"metadata":{"name":"web-x1"}}`, "2 confirmed"},
		{"a name made by the server, by the time", "created", "pod/web-x1", `
00 rs      create pods shop/ 201
01 rs      create pods shop/ 201
01 cj      create pods other/ 201
01 kubelet patch  pods/status shop/web-x1 200`, "2 likely"},
		{"a mark of a node does not lead to the next one", "deleted", "pod/web-0", `
00 kubelet patch pods/status shop/web-0 200
01 system:serviceaccount:kube-system:node-controller patch nodes /n1 200
02 system:serviceaccount:kube-system:node-controller patch nodes /n1 200
03 kubelet patch nodes/status /n1 200
04 system:serviceaccount:kube-system:node-controller delete pods shop/web-0 200`, "5 3 likely"},
		{"a list has read a secret too", "read", "secret/db", `
00 alice list secrets shop/ 200`, "1 possible"},
		{"whom a role did not let", "denied", "node/n1", `
00 eve delete nodes /n1 403`, "1 confirmed"},
		{"a label in a status is no change", "changed", "deploy/web", `
00 alice patch  deployments.apps shop/web 200
01 dc    update deployments.apps/status shop/web 200`, "1 confirmed"},
		{"deletions of two objects that overlap", "deleted", "pod/web-*", `
00 alice   delete pods shop/web-0 200
00 alice   delete pods shop/web-1 200
01 kubelet delete pods shop/web-0 200
02 kubelet delete pods shop/web-1 200`, "2 +4 confirmed"},
		{"any of some pods", "deleted", "pod/web-*", `
00 alice delete pods shop/web-0 200
01 bob   delete pods shop/db-0 200`, "1 confirmed"},
	} {
		if got := chain(ask(t, write(t, c.log), 1, 1<<20, c.deed, c.object, "")); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAQuestionOfManyObjectsHasAllThatNamesNone(t *testing.T) {
	const log = `
00 rs    create pods shop/ 201
01 cj    create pods shop/ 201
02 rs    create pods shop/ 201
03 alice create pods shop/web-0 201
04 alice delete pods shop/web-0 200
05 bob   deletecollection pods shop/ 200`
	for question, want := range map[[2]string]string{
		{"created", "pod/*"}:     "4 confirmed, 3 x2 confirmed, 2 confirmed",
		{"created", "pod/web-*"}: "4 confirmed, 3 x2 possible, 2 possible",
		{"created", "pod/web-0"}: "4 confirmed",
		{"deleted", "pod/web-*"}: "6 possible, 5 confirmed",
	} {
		var got []string
		for _, told := range ask(t, write(t, log), 1, 1<<20, question[0], question[1], "").Answers {
			got = append(got, chain(&who.Answer{Answers: []*who.Told{told}}))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("who %s %s: got %s, want %s", question[0], question[1], text, want)
		}
	}
}

func TestWhoReadsAllNamespacesHasReadTheObjectToo(t *testing.T) {
	const log = `
00 alice list  secrets shop/ 200
01 bob   list  secrets other/ 200
02 carol watch secrets / 200
03 dave  watch secrets /db 200
04 eve   get   secrets shop/db 200
05 fay   list  secrets / 403
06 gil   watch secrets /tls 200`
	for namespace, want := range map[string]string{
		"":     "5 confirmed, 4 confirmed, 3 possible, 2 possible, 1 possible",
		"shop": "5 confirmed, 4 confirmed, 3 possible, 1 possible",
	} {
		var got []string
		for _, told := range ask(t, write(t, log), 1, 1<<20, "read", "secret/db", namespace).Answers {
			got = append(got, fmt.Sprint(told.Deed.Line, " ", told.Confidence))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("-n %q: got %s, want %s", namespace, text, want)
		}
	}
}

func TestWhoIsDeniedAListIsDeniedItsObjectsToo(t *testing.T) {
	const log = `
00 alice list   secrets shop/ 403
01 bob   list   secrets other/ 403
02 carol watch  secrets / 401
03 dave  create secrets shop/ 403
04 eve   get    secrets shop/db 403
05 fay   list   secrets shop/ 200
06 gil   list   pods shop/ 403`
	for question, want := range map[[2]string]string{
		{"secret/*", ""}:      "5 confirmed, 4 confirmed, 3 confirmed, 2 confirmed, 1 confirmed",
		{"secret/*", "shop"}:  "5 confirmed, 4 confirmed, 3 confirmed, 1 confirmed",
		{"secret/db", "shop"}: "5 confirmed, 4 possible, 3 possible, 1 possible",
		{"secret/x*", "shop"}: "4 possible, 3 possible, 1 possible",
	} {
		var got []string
		for _, told := range ask(t, write(t, log), 1, 1<<20, "denied", question[0], question[1]).Answers {
			got = append(got, fmt.Sprint(told.Deed.Line, " ", told.Confidence))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("who denied %s -n %q: got %s, want %s", question[0], question[1], text, want)
		}
	}
}

func TestWhatTheLogCantTellIsSaid(t *testing.T) {
	for log, want := range map[string]string{
		"00 kubelet delete pods shop/web-0 200":       "a kubelet only completes",
		"00 gc delete pods shop/web-0 200":            "lost its owner",
		"00 system:node:0 delete pods shop/web-0 200": "mirror of a static pod",
		"00 alice get pods shop/web-0 200":            "does not say that pods/web-0 was deleted",
		"00 alice delete pods shop/web-0 409":         ", and 1 attempt conflicted",
		"00 alice delete pods shop/web-0 403":         ", and 1 attempt was denied (kaudit who denied)",
		"00 alice delete pods shop/web-0 500":         ", and 1 attempt failed (kaudit events --failed)",
		"00 alice get pods shop/db-0 200":             "nothing in the log names pods/web-0",
		"00 rs delete pods shop/web-0 200":            "no longer wanted",
		"00 nc deletecollection pods other/web 200 ":  "nothing in the log names",
	} {
		a := ask(t, write(t, log), 1, 1<<20, "deleted", "pod/web-0", "")
		if got := strings.Join(a.Notes, "; "); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", log, got, want)
		}
	}
}

func TestThatALogHasNoReadsIsSaid(t *testing.T) {
	for log, want := range map[string]string{
		"00 alice update pods shop/web-0 200":                                  "has nothing at all that was read",
		"00 alice update pods shop/db-0 200":                                   "has nothing at all that was read",
		"00 alice update pods shop/web-0 200\n01 bob get pods shop/db-0 200":   "does not say that pods/web-0 was read",
		"00 alice update pods shop/db-0 200\n01 bob list configmaps shop/ 200": "nothing in the log names pods/web-0",
	} {
		for _, workers := range []int{1, 3} {
			got := strings.Join(ask(t, write(t, log), workers, 60, "read", "pod/web-0", "").Notes, "; ")
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q", log, got, want)
			}
		}
	}
}

func TestAWriteToTheStatusAloneIsSaid(t *testing.T) {
	log := "00 kubelet patch pods/status shop/web-0 200\n01 kubelet patch pods/status shop/web-0 409\n02 kubelet update pods/status shop/web-0 200"
	want := "of pods/web-0 only the status was written, 2 times, last by system:node:n1 10.0.0.1 at 2026-01-05T09:02:01Z (kaudit timeline pods/web-0)"
	if got := strings.Join(ask(t, write(t, log), 1, 1<<20, "changed", "pod/web-0", "").Notes, "; "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestThatCausesMayBeForgottenIsSaid(t *testing.T) {
	var log strings.Builder
	log.WriteString("00 alice delete deployments.apps shop/web 200\n01 gc delete replicasets.apps shop/web-7d4b 200\n")
	for i := range 20_001 {
		fmt.Fprintf(&log, "02 alice create configmaps shop/settings-%d 201\n", i)
	}
	for object, want := range map[string]bool{"rs/*": true, "rs/web-*": false} {
		a := ask(t, write(t, log.String()), 1, 1<<20, "deleted", object, "")
		if got := strings.Contains(strings.Join(a.Notes, "; "), "more possible causes than are kept"); got != want {
			t.Errorf("%s: said: %v, want %v: %q", object, got, want, a.Notes)
		}
	}
}

func TestHoweverALogIsCutTheAnswerIsTheSame(t *testing.T) {
	log, err := fixtures.FS.ReadFile("d-heartbeat-gap/audit.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range [][2]string{{"evicted", "pod/web-*"}, {"changed", "node/slave*"}, {"read", "node/slave01"}} {
		whole := ask(t, log, 1, 1<<20, q[0], q[1], "")
		cut := ask(t, log, 4, 20_000, q[0], q[1], "")
		if len(whole.Answers) == 0 {
			t.Errorf("%v has no answer: this shows nothing", q)
		}
		if diff := gocmp.Diff(asJSON(t, whole), asJSON(t, cut)); diff != "" {
			t.Errorf("%v (-whole +cut):\n%s", q, diff)
		}
	}
}

func asJSON(t *testing.T, a *who.Answer) string {
	t.Helper()
	text, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnswersAreAsTheSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/who.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	drain := write(t, "01 alice patch nodes /n1 200\n02 alice create pods/eviction shop/web-0 201\n03 kubelet delete pods shop/web-0 200")
	for _, deed := range []string{"deleted", "created"} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(asJSON(t, ask(t, drain, 1, 1<<20, deed, "pod/web-0", "shop"))))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", deed, err)
		}
	}
}

func TestAQuestionThatCantBeAskedIsRefused(t *testing.T) {
	for want, q := range map[string][2]string{
		"deed stolen: it must be deleted, created, changed, scaled, evicted, execed, read, denied": {"stolen", "pod/web"},
		"object web: it must have the form KIND/NAME, such as pod/web-0":                           {"deleted", "web"},
		"object shop/pod/web: it must have the form KIND/NAME, such as pod/web-0":                  {"deleted", "shop/pod/web"},
	} {
		if _, err := who.Ask(q[0], q[1], ""); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestTheLongestOfDeedsIsTold(t *testing.T) {
	log := string(write(t, "00 alice delete pods shop/web-0 200\n01 alice create pods shop/web-0 201\n02 alice delete pods shop/web-0 200"))
	log = strings.Replace(log, `"stageTimestamp":"2026-01-05T09:00:01.`, `"stageTimestamp":"2026-01-05T09:00:05.`, 1)
	var out strings.Builder
	if err := ask(t, []byte(log), 1, 0, "deleted", "pod/web-0", "shop").Text(&out, 1, report.Look{}); err != nil {
		t.Fatal(err)
	}
	if want := "often     2 times since 2026-01-05T09:00:05.000Z, 5s at most\n"; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%swant in it\n%s", out.String(), want)
	}
}
