package events_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query/events"
	"github.com/kaudit/kaudit/report"
)

// list writes the events of a fixture in a format.
func list(t *testing.T, file string, o events.Options) string {
	t.Helper()
	data, err := fixtures.FS.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := events.NewWriter(&out, o)
	pick := func() func(*audit.Event) (events.Row, bool) { return o.Pick }
	driver.Stream(t.Context(), []*parser.Log{parser.NewLog(file, bytes.NewReader(data))}, driver.Options{},
		driver.Streaming{ByTime: true}, pick, func(p *driver.Picked[events.Row]) bool {
			return w.Write(&p.Value) == nil
		})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEventsAreAsTheSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/events.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"b-hijacked-metadata-all/audit.log.gz", "e-panic-generic-all/audit.log.gz"} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(list(t, file, events.Options{Format: "json"})))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if n := len(v.(map[string]any)["events"].([]any)); n < 100 {
			t.Errorf("%s: %d events; want the whole log", file, n)
		}
	}
}

func TestFoldingLosesNoRequest(t *testing.T) {
	const file = "a-stuck-metadata-same/audit.log.gz"
	all := strings.Count(list(t, file, events.Options{Format: "text", All: true}), "\n") - 1
	sum := 0
	folded := list(t, file, events.Options{Format: "text"})
	for line := range strings.Lines(folded) {
		n := 1
		if i := strings.LastIndex(line, "  ["); i >= 0 {
			fmt.Sscanf(line[i:], "  [%d times", &n)
		}
		sum += n
	}
	if sum-1 != all || strings.Count(folded, "\n") > all*3/4 {
		t.Errorf("%d requests in %d folded lines, %d without folding", sum-1, strings.Count(folded, "\n"), all)
	}
}

// told writes what a list folds of these lines: second, user, verb, name.
func told(t *testing.T, lines ...string) string {
	t.Helper()
	var log, got bytes.Buffer
	for _, l := range lines {
		var second int
		var user, verb, name string
		if _, err := fmt.Sscan(l, &second, &user, &verb, &name); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 1, 5, 9, 0, second, 0, time.UTC).Format(audit.Layout)
		fmt.Fprintf(&log, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id","stage":"ResponseComplete","requestURI":"/x","verb":%q,`+
			`"user":{"username":%q},"objectRef":{"resource":"nodes","name":%q},"responseStatus":{"code":200},"requestReceivedTimestamp":%[4]q,"stageTimestamp":%[4]q}`+"\n",
			verb, user, name, at)
	}
	o := events.Options{Format: "text"}
	w := events.NewWriter(&got, o)
	pick := func() func(*audit.Event) (events.Row, bool) { return o.Pick }
	driver.Stream(t.Context(), []*parser.Log{parser.NewLog("audit.log", &log)}, driver.Options{}, driver.Streaming{ByTime: true}, pick,
		func(p *driver.Picked[events.Row]) bool { return w.Write(&p.Value) == nil })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(got.String()) {
		if f := strings.Fields(line); f[0] != "TIME" {
			n, folded := 1, strings.Index(line, "  [")
			if folded >= 0 {
				fmt.Sscanf(line[folded:], "  [%d times", &n)
			}
			fmt.Fprintf(&b, "%s %s %s x%d\n", f[0][17:19], f[5], f[2], n)
		}
	}
	return b.String()
}

func TestAnEffectIsNotToldBeforeItsCause(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"another client's change between": {
			[]string{"0 ctl patch n1", "5 ctl patch n1", "8 alice patch n1", "9 ctl patch n1", "10 ctl patch n1"},
			"00 ctl patch x2\n08 alice patch x1\n09 ctl patch x2\n",
		},
		"and a change of its own after that": {
			[]string{"0 ctl patch n1", "8 alice patch n1", "9 ctl update n1", "10 ctl patch n1"},
			"00 ctl patch x1\n08 alice patch x1\n09 ctl update x1\n10 ctl patch x1\n",
		},
		"a change of something else": {
			[]string{"0 ctl patch n1", "8 alice patch n2", "9 ctl patch n1"},
			"00 ctl patch x2\n08 alice patch x1\n",
		},
		"a read": {
			[]string{"0 ctl patch n1", "8 alice get n1", "9 ctl patch n1", "10 alice get n1"},
			"00 ctl patch x2\n08 alice get x2\n",
		},
		"a pause": {
			[]string{"0 ctl patch n1", "10 ctl patch n1", "150 ctl patch n1"},
			"00 ctl patch x2\n30 ctl patch x1\n",
		},
		"a heartbeat": {
			[]string{"0 a update n1", "1 b update n2", "10 a update n1", "11 b update n2", "20 a update n1"},
			"00 a update x3\n01 b update x2\n",
		},
	} {
		if got := told(t, c.lines...); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, c.want)
		}
	}
}

func TestRawLinesAreThoseOfTheLog(t *testing.T) {
	raw := list(t, "e-panic-generic-all/audit.log.gz", events.Options{Format: "raw"})
	for line := range strings.Lines(raw) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("no event: %s", line)
		}
	}
	var out bytes.Buffer
	w := events.NewWriter(&out, events.Options{Format: "raw"})
	if err := w.Write(&events.Row{Raw: []byte("{\"a\":\n 1}")}); err != nil || out.String() != "{\"a\":1}\n" {
		t.Errorf("an event of two lines is written %q, %v", out.String(), err)
	}
}

func TestTheClientsOfAllLinesStandBelowOneAnother(t *testing.T) {
	for _, all := range []bool{false, true} {
		lines := strings.Split(strings.TrimSpace(list(t, "b-hijacked-metadata-all/audit.log.gz", events.Options{Format: "text", All: all})), "\n")
		column := strings.Index(lines[0], "CLIENT")
		long := 0
		for _, line := range lines[1:] {
			object := strings.Fields(line)[4]
			if len(object) > 64 {
				continue // it shifts its own line alone
			}
			if len(object) > 40 {
				long++
			}
			if chars := []rune(line); chars[column-1] != ' ' || chars[column] == ' ' {
				t.Errorf("the client of this line does not stand in column %d: %s", column, line)
			}
		}
		if long == 0 {
			t.Error("no object is longer than the column at its least: this shows nothing")
		}
	}
}

func TestTheCodeOfAPanicIsNoAnswer(t *testing.T) {
	codes := map[string]string{}
	for line := range strings.Lines(list(t, "e-panic-generic-all/audit.log.gz", events.Options{Format: "text"})) {
		f := strings.Fields(line)
		codes[strings.TrimPrefix(f[4], "shop/widgets.lab.example.com/")] = f[3]
	}
	if codes["panic-string"] != "panic" || codes["500"] != "500" {
		t.Errorf("codes are %v: want panic of panic-string, and 500 of 500", codes)
	}
}

// TestLinesFitATerminal: where columns have no room, clients stand in lines of
// their own, and so do objects that are too long.
func TestLinesFitATerminal(t *testing.T) {
	const file = "cases/014-leader-election-endpoints-deleted/input.jsonl.gz"
	for width, want := range map[int]string{
		80: `
TIME                      LATENCY  VERB     CODE  OBJECT
    CLIENT
2018-05-02T15:09:11.300Z    600µs  get       200  /healthz
    system:anonymous 10.0.0.9
2018-05-02T15:09:24.003Z    3.5ms  update    200
    kube-system/endpoints/kube-scheduler
    system:kube-scheduler 192.168.0.7  [20 times until 15:10:02.006, 9ms at
    most]
`,
		124: `
TIME                      LATENCY  VERB     CODE  OBJECT                            CLIENT
2018-05-02T15:09:11.300Z    600µs  get       200  /healthz                          system:anonymous 10.0.0.9
2018-05-02T15:09:24.003Z    3.5ms  update    200  kube-system/endpoints/kube-scheduler
                                                                                    system:kube-scheduler 192.168.0.7  [20
                                                                                    times until 15:10:02.006, 9ms at most]
`,
	} {
		got := list(t, file, events.Options{Format: "text", Look: report.Look{Width: width}})
		lines := strings.SplitAfter(got, "\n")
		if got := "\n" + strings.Join(lines[:strings.Count(want, "\n")-1], ""); got != want {
			t.Errorf("in %d columns: got%s\nwant%s", width, got, want)
		}
	}
}
