package parser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

const (
	httplog = `I0105 09:30:00.123456       1 httplog.go:132] "HTTP" verb="GET" URI="/api/v1/namespaces/shop/pods/web-0" latency="1.5ms" userAgent="kubectl/v1.31.0" audit-ID="5b0f0c2e-0000-4000-8000-000000000001" srcIP="10.0.0.7:43161" resp=200` + "\n"

	panicked = `E0105 09:30:00.200000       1 timeout.go:121] "Observed a panic" panic=<` + `
	out of cheese
	goroutine 295 [running]:
	panic({0x28114c0?, 0x4d1f3c0?})
		/usr/local/go/src/runtime/panic.go:860 +0x13a
	example.com/shop.(*Store).Get({0x2f233c0, 0x147579f511e0}, 0x147579cf6dc0)
		/src/shop/store.go:107 +0x82d
	net/http.HandlerFunc.ServeHTTP(0x2da6ebf?, {0x2f233c0?, 0x147579f511e0?}, 0x36?)
		/usr/local/go/src/net/http/server.go:2286 +0x29
 >
E0105 09:30:00.200100       1 wrap.go:57] "apiserver panic'd" method="GET" URI="/api/v1/namespaces/shop/pods/web-0" auditID="5b0f0c2e-0000-4000-8000-000000000001"
`
)

// ownEvents reads text in chunks of a size and tells of the events of own logs
// in it, those with a stack last.
func ownEvents(t *testing.T, text string, size int) string {
	t.Helper()
	r := NewReader([]*Log{NewLog("x", strings.NewReader(text))}, Options{ChunkSize: size, Ordered: true})
	defer r.Close()
	var (
		chunk  Chunk
		out    strings.Builder
		traces strings.Builder
	)
	d := Decoder{OwnLog: true}
	for r.Next(context.Background(), &chunk) == nil {
		for d.Reset(&chunk); d.Next(); {
			e := d.Event()
			to := &out
			if hasTrace(e) {
				to = &traces
			}
			fmt.Fprintf(to, "%s %d %s %q %s\n", e.Log, e.Origin, e.At.Std().Format(time.RFC3339), e.Frames, e.Summary())
		}
	}
	return out.String() + traces.String()
}

func TestOwnLogsAreReadInWhateverCarriesThem(t *testing.T) {
	const year, want = "2021-01-05T09:30:00.300000000Z", `x%[1]s 1 2021-01-05T09:30:00Z [] get shop/pods/web-0 -> 200 after 2ms
x%[1]s 2 2021-01-05T09:30:00Z [] panicked: get shop/pods/web-0
x%[1]s 2 2021-01-05T09:30:00Z ["example.com/shop.(*Store).Get (store.go:107)" "net/http.HandlerFunc.ServeHTTP (server.go:2286)"] panic: out of cheese
`
	message := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, c := range []struct {
		name, label   string
		line          func(string) string
		before, after string
	}{
		{name: "CRI", line: func(s string) string { return year + " stderr F " + s }},
		{name: "docker", line: func(s string) string {
			return `{"log":` + message(s) + `,"stream":"stderr","time":"` + year + "\"}\n"
		}},
		{name: "kubectl logs --timestamps", line: func(s string) string { return year + " " + s }},
		{name: "kubectl logs --timestamps --prefix", label: "#kube-apiserver-cp1", line: func(s string) string {
			return "[pod/kube-apiserver-cp1/kube-apiserver] " + year + " " + s
		}},
		{name: "stern -t", label: "#kube-apiserver-cp1 kube-apiserver", line: func(s string) string {
			return "kube-apiserver-cp1 kube-apiserver " + year + " " + s
		}},
		{name: "aws logs tail", label: "#kube-apiserver-0123", line: func(s string) string { return year + " kube-apiserver-0123 " + s }},
		{name: "filter-log-events", label: "#p", before: "{\n  \"events\": [\n", after: "  {}\n  ]\n}\n", line: func(s string) string {
			return "    {\n      \"logStreamName\": \"p\",\n      \"timestamp\": 1609839000300,\n      \"message\": " + message(s) + "\n    },\n"
		}},
		{name: "an answer of Loki", label: "#cp1", before: `{"data":{"result":[{"stream":{"node":"cp1"},"values":[`, after: "[]]}]}}\n", line: func(s string) string {
			return `["1609839000300000000",` + message(s) + "],"
		}},
	} {
		text := c.before
		for line := range strings.Lines(httplog + panicked) {
			text += c.line(line)
		}
		text += c.after
		for _, size := range []int{1, 100, 1 << 20} {
			if diff := cmp.Diff(fmt.Sprintf(want, c.label), ownEvents(t, text, size)); diff != "" {
				t.Errorf("%s, in chunks of %d (-want +got)\n%s", c.name, size, diff)
			}
		}
	}
}

// TestAStackIsReadWhereTheNewestLineStandsFirst: so Loki has them, and logcli
// prints them.
func TestAStackIsReadWhereTheNewestLineStandsFirst(t *testing.T) {
	const (
		crashed = "fatal error: concurrent map read and map write\n\ngoroutine 77 [running]:\nexample.com/shop.(*Map).Get(...)\n\texample.com/shop/map.go:17\n" +
			"main.main()\n\tmain.go:5 +0x44\n"
		want = `x#cp1 2 2021-01-05T09:30:00Z ["example.com/shop.(*Map).Get (map.go:17)" "main.main (main.go:5)"] crash: concurrent map read and map write
x#cp1 2 2021-01-05T09:30:00Z ["example.com/shop.(*Store).Get (store.go:107)" "net/http.HandlerFunc.ServeHTTP (server.go:2286)"] panic: out of cheese
x#cp1 2 2021-01-05T09:30:00Z [] panicked: get shop/pods/web-0
`
	)
	for _, c := range []struct{ name, before, line, after string }{
		{"an answer of Loki", `{"data":{"result":[{"stream":{"node":"cp1"},"values":[`, `["%s",%s],`, "[]]}]}}\n"},
		{"logcli", "", "2021-01-05T09:30:00.3Z {node=\"cp1\"} %[3]s\n", ""},
		{"logcli -o jsonl", "", `{"labels":{"node":"cp1"},"line":%[2]s,"timestamp":"2021-01-05T09:30:00.3Z"}` + "\n", ""},
	} {
		text, stamp := "", 1609839000300000000
		for line := range strings.Lines(panicked + strings.Repeat(event("a")+"\n", 30) + crashed) {
			line = strings.TrimSuffix(line, "\n")
			raw, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			stamp++
			filled := fmt.Sprintf(c.line+"%.0[1]s%.0[2]s%.0[3]s", fmt.Sprint(stamp), raw, line)
			text = filled + text
		}
		text = c.before + text + c.after
		for _, size := range []int{1, 100, 1000, 1 << 20} {
			got := slices.DeleteFunc(strings.Split(strings.TrimSuffix(ownEvents(t, text, size), "\n"), "\n"), func(line string) bool {
				return strings.HasSuffix(line, "get /healthz after 100µs")
			})
			slices.Sort(got)
			if diff := cmp.Diff(strings.Split(strings.TrimSuffix(want, "\n"), "\n"), got); diff != "" {
				t.Errorf("%s, in chunks of %d (-want +got)\n%s", c.name, size, diff)
			}
		}
	}
}

// TestAStackOfOneMessageIsRead: shippers join the lines of a stack.
func TestAStackOfOneMessageIsRead(t *testing.T) {
	raw, err := json.Marshal("E0105 11:00:30.000000       1 runtime.go:78] Observed a panic: \"boom\" (boom)\ngoroutine 12 [running]:\n" +
		"panic(0x1, 0x2)\n\t/usr/local/go/src/runtime/panic.go:679 +0x1b2\nmain.Foo(...)\n\t/go/src/pod.go:1 +0x1\n")
	if err != nil {
		t.Fatal(err)
	}
	const want = "x#cp1 2 2024-01-05T09:00:30Z [\"main.Foo (pod.go:1)\"] panic: boom\n"
	if got := ownEvents(t, `{"message":`+string(raw)+`,"host":"cp1","time":"2024-01-05T09:00:30.1Z"}`, 100); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

func TestAStackIsReadAcrossWhatOthersWriteAndChunksEnd(t *testing.T) {
	const year = "2021-01-05T09:30:00.300000000Z "
	head, rest, _ := strings.Cut(panicked, "\n")
	stack := strings.SplitAfter(rest, "\n")
	var text strings.Builder
	fill := strings.Repeat(event("a")+"\n", 30)
	text.WriteString(fill + year + head + "\n")
	for _, line := range stack[:len(stack)-2] {
		text.WriteString(year + line + event("b") + "\n")
	}
	text.WriteString(year + strings.TrimSuffix(httplog, "\n") + "\n" + fill)
	want := ownEvents(t, text.String(), 1<<20)
	if !strings.Contains(want, `["example.com/shop.(*Store).Get (store.go:107)" "net/http.HandlerFunc.ServeHTTP (server.go:2286)"] panic: out of cheese`) {
		t.Fatalf("the stack is not told of:\n%s", want)
	}
	for _, size := range []int{1, 37, 1000, 5000, 20_000} {
		if diff := cmp.Diff(want, ownEvents(t, text.String(), size)); diff != "" {
			t.Errorf("in chunks of %d (-want +got)\n%s", size, diff)
		}
	}
}

func TestOwnLogsAreCountedAsKlogForThoseWhoDoNotAsk(t *testing.T) {
	if got, want := readText(t, httplog+event("a")+"\n", Options{}), fmt.Sprintf("a 2@%d\nklog 1@0\n", len(httplog)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRequestsOfHTTPLogAreThoseOfTheAuditLog compares both in recordings that
// have both, by audit ID.
func TestRequestsOfHTTPLogAreThoseOfTheAuditLog(t *testing.T) {
	names, err := filepath.Glob("../../shared/lab/g-*/kubectl-logs-timestamps.log.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		audited, lines := bothSides(t, NewLog(name, file))
		if len(lines) != 1344 {
			t.Errorf("%s: %d requests of httplog, want 1344", name, len(lines))
		}
		for id, line := range lines {
			e, ok := audited[id]
			if !ok {
				t.Errorf("%s: the request %s is not in the audit log", name, id)
				continue
			}
			if diff := cmp.Diff(e.about, line.about); diff != "" {
				t.Errorf("%s: %s (-audit +httplog)\n%s", name, id, diff)
			}
			if d := e.received.Sub(line.received).Abs(); d > 50*time.Millisecond {
				t.Errorf("%s: %s was received at %s by the audit log, at %s by httplog", name, id, e.received, line.received)
			}
		}
	}
}

// A side is what an audit event or a line of httplog tells of a request.
type side struct {
	about    string
	received audit.Time
}

func bothSides(t *testing.T, log *Log) (audited, lines map[string]side) {
	audited, lines = map[string]side{}, map[string]side{}
	r := NewReader([]*Log{log}, Options{})
	defer r.Close()
	var chunk Chunk
	d := Decoder{OwnLog: true}
	for r.Next(context.Background(), &chunk) == nil {
		for d.Reset(&chunk); d.Next(); {
			e := d.Event()
			if e.Stage != audit.StageResponseComplete {
				continue
			}
			to := audited
			verb := e.Verb.String()
			if e.Origin == audit.OriginHTTPLog {
				to = lines
			}
			if e.Subresource == audit.SubExec {
				verb = "connect"
			}
			to[e.AuditID.String()] = side{
				fmt.Sprintf("%s %s.%s %s %s/%s/%s %d %s %s", verb, e.Resource, e.Group, e.Version, e.Namespace, uriName(e), e.Subresource, e.Code, e.UserAgent, e.ClientIP()),
				e.Received,
			}
		}
	}
	if err := log.Parts[0].Err(); err != nil {
		t.Error(err)
	}
	return audited, lines
}

// uriName returns the name that the URI tells: that of what is created stands
// in the body only.
func uriName(e *audit.Event) string {
	if e.Verb == audit.VerbCreate && e.Subresource == (audit.Sym{}) {
		return ""
	}
	return e.Name.String()
}
