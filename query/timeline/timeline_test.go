package timeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/query/timeline"

	"github.com/kaudit/kaudit/report"
)

// tell tells of a subject from a log.
func tell(t *testing.T, data []byte, s timeline.Subject) *timeline.Timeline {
	t.Helper()
	return tellStory(t, data, &timeline.Picker{Subjects: []timeline.Subject{s}}, &timeline.Teller{})
}

// tellStory tells what a picker chooses of a log.
func tellStory(t *testing.T, data []byte, p *timeline.Picker, teller *timeline.Teller) *timeline.Timeline {
	t.Helper()
	driver.Stream(t.Context(), []*parser.Log{parser.NewLog("audit.log", bytes.NewReader(data))}, driver.Options{Workers: 2},
		driver.Streaming{ByTime: true},
		func() func(*audit.Event) (timeline.Entry, bool) { return p.Pick },
		func(p *driver.Picked[timeline.Entry]) bool { teller.Add(&p.Value, p.Line); return true })
	return teller.Timeline("a test", 0, "")
}

// line writes an event at a second of 09:00.
func line(second int, user, verb, resource, name, bodies string) string {
	resource, sub, _ := strings.Cut(resource, "/")
	quoted, _ := json.Marshal(name)
	return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete","requestURI":"/x","verb":%q,`+
		`"user":{"username":%q},"objectRef":{"resource":%q,"subresource":%q,"namespace":"shop","name":%s},"responseStatus":{"code":200},%s`+
		`"requestReceivedTimestamp":%[7]q,"stageTimestamp":%[7]q}`+"\n", verb, user, resource, sub, quoted, bodies,
		time.Date(2026, 1, 5, 9, 0, second, 0, time.UTC).Format(audit.Layout))
}

// texts writes a timeline's lines in short.
func texts(tl *timeline.Timeline) string {
	var b strings.Builder
	for _, l := range tl.Entries {
		fmt.Fprintf(&b, "%s x%d %s\n", l.Text, l.Times, strings.Join(l.Changes, "; "))
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func TestWhatBelongsToAnObjectIsInItsStory(t *testing.T) {
	log := line(0, "alice", "create", "deployments", "web", "") +
		line(1, "dc", "create", "replicasets", "web-7d4b", "") +
		line(2, "dc", "create", "replicasets", "web-eu-7d4b", "") +
		line(3, "rs", "delete", "pods", "web-7d4b-x2x4z", "") +
		line(4, "rs", "get", "pods", "web-7d4b-x2x4z", "") +
		line(5, "bob", "delete", "pods", "web-0", "") +
		line(6, "bob", "get", "deployments", "web", "")
	want := "alice created shop/deployments/web: 200 x1\ndc created shop/replicasets/web-7d4b: 200 x1\n" +
		"rs deleted shop/pods/web-7d4b-x2x4z: 200 x1\nbob read shop/deployments/web: 200 x1\n"
	if got := texts(tell(t, []byte(log), timeline.Subject{Resource: "deployments", Namespace: "shop", Name: "web"})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestARefusedSessionIsToldOnce(t *testing.T) {
	stages := func(second int, user, code string) string {
		began := strings.Replace(line(second, user, "create", "pods/exec", "web-0", ""), `"code":200`, `"code":`+code, 1)
		ended := strings.Replace(began, `"stageTimestamp":"2026-01-05T09:00:0`, `"stageTimestamp":"2026-01-05T09:00:1`, 1)
		return strings.Replace(began, "ResponseComplete", "ResponseStarted", 1) + ended
	}
	want := "alice opened a session (create) in shop/pods/web-0/exec: 101 x1\nalice ended a session (create) in shop/pods/web-0/exec: 101 after 10s x1\n" +
		"bob tried to create shop/pods/web-0/exec: 404 after 10s x1\n"
	got := texts(tell(t, []byte(stages(0, "alice", "101")+stages(1, "bob", "404")), timeline.Subject{Resource: "pods", Namespace: "shop", Name: "web-0"}))
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRepeatsAreOneLineUntilTheyPause(t *testing.T) {
	var log strings.Builder
	for _, second := range []int{0, 10, 20, 30, 200, 210} {
		log.WriteString(line(second, "system:node:n1", "update", "leases", "n1", ""))
	}
	want := "system:node:n1 updated shop/leases/n1: 200 x4\nsystem:node:n1 updated shop/leases/n1: 200 x2\n"
	if got := texts(tell(t, []byte(log.String()), timeline.Subject{Node: "n1"})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestARhythmDoesNotExcuseALongPause(t *testing.T) {
	for name, c := range map[string]struct {
		seconds []int
		want    string
	}{
		"a pause long against the rhythm": {[]int{0, 2, 5, 45, 180, 217}, "x4\nx2\n"},
		"what backs off":                  {[]int{0, 10, 30, 70, 150, 310}, "x6\n"},
	} {
		var log, got strings.Builder
		for _, second := range c.seconds {
			log.WriteString(line(second, "alice", "update", "configmaps", "c", ""))
		}
		for _, l := range tell(t, []byte(log.String()), timeline.Subject{Resource: "configmaps", Namespace: "shop", Name: "c"}).Entries {
			fmt.Fprintf(&got, "x%d\n", l.Times)
		}
		if got.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got.String(), c.want)
		}
	}
}

func TestBodiesTellWhichFieldsChangedAndNoSecret(t *testing.T) {
	log := line(0, "alice", "create", "deployments", "web", `"responseObject":{"spec":{"replicas":1,"env":[{"name":"TOKEN","value":"geheim"}]}},`) +
		line(1, "alice", "update", "deployments", "web", `"responseObject":{"spec":{"replicas":3,"env":[{"name":"TOKEN","value":"streng"}]}},`) +
		line(2, "bob", "patch", "deployments", "web", `"requestObject":{"spec":{"paused":true,"note":"geheim"}},`) +
		line(3, "bob", "patch", "deployments", "web", `"requestObject":[{"op":"replace","path":"/spec/replicas","value":0},{"op":"remove","path":"/spec/note"}],`) +
		line(4, "bob", "patch", "deployments/scale", "web", `"requestObject":{"spec":{"replicas":5}},"responseObject":{"kind":"Scale","spec":{"replicas":5}},`)
	want := "alice created shop/deployments/web: 200 x1\n" +
		"alice updated shop/deployments/web: 200 x1 spec.env.[TOKEN].value changed; spec.replicas 1 -> 3\n" +
		"bob patched shop/deployments/web: 200 x1 spec.note = (text); spec.paused = true\n" +
		"bob patched shop/deployments/web: 200 x1 spec.replicas = 0; spec.note removed\n" +
		"bob scaled (patch) shop/deployments/web/scale: 200 x1 spec.replicas = 5\n"
	if got := texts(tell(t, []byte(log), timeline.Subject{})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAReadChangesNothing(t *testing.T) {
	log := line(0, "alice", "update", "deployments", "web", `"responseObject":{"spec":{"replicas":1}},`) +
		line(1, "bob", "get", "deployments", "web", "") +
		strings.Replace(line(2, "bob", "update", "deployments", "web", ""), `"code":200`, `"code":409`, 1) +
		line(3, "alice", "update", "deployments", "web", `"responseObject":{"spec":{"replicas":3}},`)
	want := "alice updated shop/deployments/web: 200 x1 spec.replicas 1 -> 3\n"
	if got := texts(tell(t, []byte(log), timeline.Subject{})); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%swant at its end\n%s", got, want)
	}
}

func TestWhatTellsSessionsApartIsTold(t *testing.T) {
	log := line(0, "alice", "get", "pods/exec", "web", "") + line(1, "alice", "create", "pods/exec", "web", "") +
		strings.Replace(line(2, "alice", "get", "pods/proxy", "web", ""), `"code":200`, `"code":101`, 1) +
		line(3, "alice", "get", "pods/proxy", "web", "")
	want := "alice ended a session (get) in shop/pods/web/exec: 200 x1\nalice ended a session (create) in shop/pods/web/exec: 200 x1\n" +
		"alice ended a session (get) in shop/pods/web/proxy: 101 x1\nalice read shop/pods/web/proxy: 200 x1\n"
	if got := texts(tell(t, []byte(log), timeline.Subject{})); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestALimitLeavesOutTheLatestLinesAndSaysSo(t *testing.T) {
	teller := timeline.Teller{Limit: 2}
	for i, verb := range []string{"create", "update", "update", "delete"} {
		teller.Add(&timeline.Entry{Record: &query.Record{Verb: verb, Resource: "pods", Name: "web"}}, i)
	}
	tl := teller.Timeline("a test", 0, "")
	if len(tl.Entries) != 2 || tl.Entries[1].Times != 2 || len(tl.Notes) != 1 || !strings.HasPrefix(tl.Notes[0], "1 more event has no line") {
		t.Errorf("got %d lines, and notes %q: want 2, the second one twice, and one event more", len(tl.Entries), tl.Notes)
	}
}

func TestTextHasUTCAndLocalTimeAndOffsets(t *testing.T) {
	tl := tell(t, []byte(line(0, "alice", "delete", "pods", "a\x1b[2J", "")+line(90, "bob", "delete", "pods", "b", "")), timeline.Subject{})
	var out strings.Builder
	if err := tl.Text(&out, time.FixedZone("CET", 3600), report.Look{}); err != nil {
		t.Fatal(err)
	}
	want := "2026-01-05, UTC and CET (+01:00); offsets from the first line, 2026-01-05T09:00:00.000Z\n" +
		"09:00:00.000  10:00:00.000    +0.000s   alice deleted shop/pods/a\\x1b[2J: 200\n" +
		"09:01:30.000  10:01:30.000     +1m30s   bob deleted shop/pods/b: 200\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestTimelinesAreAsTheSchemaSays(t *testing.T) {
	data, err := fixtures.FS.ReadFile("g-kubectl-logs-mix/only-stdout.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []timeline.Subject{{}, {Resource: "pods", Name: "none"}} {
		valid(t, tell(t, data, s))
	}
}

func TestTheLongestOfRepeatsIsTold(t *testing.T) {
	var log strings.Builder
	for second, took := range map[int]int{1: 0, 10: 5, 20: 2} {
		ended := time.Date(2026, 1, 5, 9, 0, second+took, 0, time.UTC).Format(audit.Layout)
		l := line(second, "alice", "get", "pods", "web", "")
		i := strings.LastIndex(l, `"stageTimestamp"`)
		log.WriteString(l[:i] + fmt.Sprintf(`"stageTimestamp":%q}`, ended) + "\n")
	}
	var out strings.Builder
	if err := tell(t, []byte(log.String()), timeline.Subject{}).Text(&out, time.UTC, report.Look{}); err != nil {
		t.Fatal(err)
	}
	if want := "alice read shop/pods/web: 200  [3 times until 09:00:22.000, 5s at most]\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got\n%swant at its end\n%s", out.String(), want)
	}
}
