package top_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
	"github.com/kaudit/kaudit/query/top"

	"github.com/kaudit/kaudit/report"
)

func keys(t testing.TB, names ...string) []top.Key {
	t.Helper()
	all, err := top.ParseKeys(names)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// count counts a log with workers of a number and chunks of a size, and merges
// in random order.
func count(t testing.TB, data []byte, by top.Measure, workers, chunk int, names ...string) *top.Counter {
	t.Helper()
	var counters []*top.Counter
	driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", bytes.NewReader(data))}, driver.Options{
		Workers: workers, Parser: parser.Options{ChunkSize: chunk},
		Observe: func() func(*audit.Event) {
			c := top.NewCounter(keys(t, names...), by)
			counters = append(counters, c)
			return c.Observe
		},
	})
	rand.Shuffle(len(counters), func(i, j int) { counters[i], counters[j] = counters[j], counters[i] })
	for _, c := range counters[1:] {
		counters[0].Merge(c)
	}
	return counters[0]
}

// TestRequestsThatAreLoggedTwiceAreNoted: by what one request is known that two
// servers logged is its audit ID, which a counter does not keep of all.
func TestRequestsThatAreLoggedTwiceAreNoted(t *testing.T) {
	twice := fixture(t, "cases/046-aggregated-same-auditid/input.jsonl.gz")
	notes := count(t, twice, top.ByCount, 2, 4096, "user").Table(20, 1, 2).Notes
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "12 of 21 sampled requests are logged twice under one audit ID") {
		t.Errorf("notes %q, want one of 12 requests", notes)
	}
	if notes := count(t, fixture(t, "cases/040-apf-rejects-list-storm/input.jsonl.gz"), top.ByCount, 2, 4096, "user").Table(20, 1, 2).Notes; len(notes) != 0 {
		t.Errorf("notes %q of requests that are logged once", notes)
	}
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := fixtures.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func asJSON(t *testing.T, table *top.Table) []byte {
	t.Helper()
	text, err := json.MarshalIndent(table, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHoweverALogIsCutTheTableIsTheSame(t *testing.T) {
	data := fixture(t, "e-panic-generic-all/audit.log.gz")
	for _, by := range []top.Measure{top.ByCount, top.ByErrors, top.ByLatency, top.ByBytes} {
		whole := asJSON(t, count(t, data, by, 1, 1<<20, "user", "verb", "code").Table(7, 1, 2))
		for _, workers := range []int{2, 5} {
			cut := asJSON(t, count(t, data, by, workers, 5000, "user", "verb", "code").Table(7, 1, 2))
			if diff := cmp.Diff(string(whole), string(cut)); diff != "" {
				t.Errorf("by %s with %d workers (-whole +cut):\n%s", by, workers, diff)
			}
		}
	}
}

func TestTablesAreAsTheSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/top.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range []string{"", string(fixture(t, "b-hijacked-metadata-all/audit.log.gz"))} {
		text := asJSON(t, count(t, []byte(log), top.ByBytes, 1, 1<<20, "resource").Table(3, 0, 0))
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Error(err)
		}
	}
}

// request returns the lines of the stages of a request.
func request(id int, name, stages string) string {
	var b strings.Builder
	for _, s := range stages {
		stage, code := map[rune]string{'R': "RequestReceived", 'S': "ResponseStarted", 'C': "ResponseComplete"}[s], ""
		if s == 'C' {
			code = `"responseStatus":{"code":200},`
		}
		fmt.Fprintf(&b, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"%d","stage":%q,`+
			`"requestURI":"/api/v1/namespaces/shop/pods/%s","verb":"get","user":{"username":"alice"},`+
			`"objectRef":{"resource":"pods","namespace":"shop","name":%q,"apiVersion":"v1"},%s`+
			`"requestReceivedTimestamp":"2026-01-05T09:00:00.000000Z","stageTimestamp":"2026-01-05T09:00:01.000000Z"}`+"\n",
			id, stage, name, name, code)
	}
	return b.String()
}

func TestARequestCountsOnceWhateverStagesTheLogHas(t *testing.T) {
	for log, want := range map[string]int64{
		request(1, "a", "RC") + request(2, "a", "RC"):  2,
		request(1, "a", "C") + request(2, "a", "C"):    2,
		request(1, "a", "R") + request(2, "a", "R"):    2,
		request(1, "a", "RSC") + request(2, "a", "RS"): 2,
		request(1, "a", "SC") + request(2, "a", "S"):   2,
	} {
		table := count(t, []byte(log), top.ByCount, 1, 1<<20, "user").Table(5, 1, 2)
		if len(table.Rows) != 1 || table.Rows[0].Requests != want || table.Total.Requests != want {
			t.Errorf("%d requests, want %d, of\n%s", table.Total.Requests, want, log)
		}
	}
}

func TestRequestsWithoutAnEndHaveNoCode(t *testing.T) {
	log := request(1, "a", "RC") + request(2, "a", "R") + request(3, "b", "C") + request(4, "b", "RS")
	for keys, want := range map[string]string{
		"code":      "[200] 2, [] 1",
		"name":      "[] 1, [a] 1, [b] 1",
		"user,code": "[alice 200] 2, [alice ] 1",
		"user":      "[alice] 3", // whose beginning of 1 may be that of 3
	} {
		table := count(t, []byte(log), top.ByCount, 1, 1<<20, strings.Split(keys, ",")...).Table(5, 1, 2)
		var got []string
		for _, row := range table.Rows {
			got = append(got, fmt.Sprint(row.Key, " ", row.Requests))
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != want || table.Total.Requests != 3 {
			t.Errorf("%s: got %s of %d, want %s of 3", keys, text, table.Total.Requests, want)
		}
		if note := strings.Join(table.Notes, " "); (keys != "user") != strings.HasPrefix(note, "1 request has no end in the log, which alone tells ") {
			t.Errorf("%s: the notes are %q", keys, note)
		}
	}
}

func TestABigKeyIsFoundAmongMoreThanCanBeKept(t *testing.T) {
	var log strings.Builder
	for i := range 45_000 {
		log.WriteString(request(i, fmt.Sprintf("pod-%d", i), "C"))
	}
	big := map[string]bool{}
	for i := range 50 * 6 {
		name := fmt.Sprintf("big-%d", i%6)
		big[name] = true
		log.WriteString(request(i, name, "C"))
	}
	found := func(c *top.Counter) (n int) {
		for _, row := range c.Table(6, 1, 2).Rows {
			if big[row.Key[0]] && row.Requests == 50 {
				n++
			}
		}
		return n
	}
	first := count(t, []byte(log.String()), top.ByCount, 2, 1<<16, "name")
	if !first.Overflowed() {
		t.Fatal("the keys fit: this shows nothing")
	}
	again := first.Again()()
	driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", strings.NewReader(log.String()))}, driver.Options{
		Workers: 1, Observe: func() func(*audit.Event) { return again.Observe },
	})
	if n := found(first); n == 6 {
		t.Error("the first reading has found all of them: this shows nothing")
	}
	table := again.Table(6, 1, 2)
	if n := found(again); n != 6 || table.Total.Requests != 45_300 {
		t.Errorf("the second reading has found %d of 6 and %d requests, want 45300", n, table.Total.Requests)
	}
	if table.Distinct < 44_000 || table.Distinct > 46_000 {
		t.Errorf("the second reading tells of %d keys, of which there are 45006", table.Distinct)
	}
	if want := []string{fmt.Sprintf("there are about %d different keys", table.Distinct)}; !slices.Equal(table.Notes, want) {
		t.Errorf("got notes %q, want %q: no key that is passed over is as big", table.Notes, want)
	}
	if notes := again.Table(40_000, 1, 2).Notes; len(notes) != 1 || !strings.Contains(notes[0], "one that is not kept may have up to ") {
		t.Errorf("got notes %q of a table of all that is kept", notes)
	}
}

func TestKeysOfRequestsThatCountElsewhereAreNoOthers(t *testing.T) {
	log := request(1, "a", "RC") + strings.ReplaceAll(request(2, "a", "RC"), `"code":200`, `"code":201`)
	table := count(t, []byte(log), top.ByCount, 1, 1<<20, "code").Table(1, 1, 2)
	if table.Distinct != 2 || table.Rest == nil || table.Rest.Requests != 1 {
		t.Errorf("got %d codes and %+v beside the first, want 2", table.Distinct, table.Rest)
	}
}

func TestShapesOfURIsHaveNoNames(t *testing.T) {
	table := count(t, fixture(t, "a-stuck-metadata-same/audit.log.gz"), top.ByCount, 1, 1<<20, "uri").Table(1000, 1, 2)
	for _, row := range table.Rows {
		if strings.Contains(row.Key[0], "shop") || strings.Contains(row.Key[0], "checkout") {
			t.Errorf("a name in %s", row.Key[0])
		}
	}
	if len(table.Rows) < 20 || len(table.Rows) > 150 {
		t.Errorf("%d shapes", len(table.Rows))
	}
}

func TestATableFitsTheTerminal(t *testing.T) {
	table := count(t, fixture(t, "a-stuck-metadata-same/audit.log.gz"), top.ByCount, 1, 1<<20, "user", "user-agent").Table(5, 1, 2)
	for _, width := range []int{80, 100, 200} {
		var out strings.Builder
		if err := table.Text(&out, report.Look{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("%d columns, want %d at most: %s", n, width, line)
			}
		}
	}
}

func TestRowsOfANarrowTableCanBeToldApart(t *testing.T) {
	table := count(t, fixture(t, "a-stuck-metadata-same/audit.log.gz"), top.ByCount, 1, 1<<20, "user", "verb", "resource").Table(20, 1, 2)
	var out strings.Builder
	if err := table.Text(&out, report.Look{Width: 80}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		key := strings.Join(strings.Fields(line)[:3], " ")
		if seen[key] {
			t.Errorf("two rows of %s in\n%s", key, out.String())
		}
		seen[key] = true
	}
	if want := ":deployment-controller "; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestTheFigureThatRowsAreInOrderByIsTheLastToGo(t *testing.T) {
	for by, title := range map[top.Measure]string{top.ByCount: "COUNT", top.ByErrors: "ERRORS", top.ByLatency: "P95", top.ByBytes: "BYTES"} {
		table := count(t, fixture(t, "a-stuck-metadata-same/audit.log.gz"), by, 1, 1<<20, "user", "verb", "resource").Table(5, 1, 2)
		for _, width := range []int{40, 60, 80} {
			var out strings.Builder
			if err := table.Text(&out, report.Look{Width: width}); err != nil {
				t.Fatal(err)
			}
			titles, _, _ := strings.Cut(out.String(), "\n")
			if !slices.Contains(strings.Fields(titles), title) {
				t.Errorf("by %s in %d columns there is no %s: %s", by, width, title, titles)
			}
		}
	}
}

// BenchmarkObserve is what counting costs an event.
func BenchmarkObserve(b *testing.B) {
	e := &audit.Event{
		Verb: audit.VerbGet, User: audit.Intern("alice"), Resource: audit.Intern("pods"), Stage: audit.StageResponseComplete,
		Code: 200, Received: 1_700_000_000_000_000, At: 1_700_000_000_012_000, Raw: make([]byte, 800),
	}
	c := top.NewCounter(keys(b, "user", "verb", "resource"), top.ByCount)
	b.ReportAllocs()
	for b.Loop() {
		c.Observe(e)
	}
}

// BenchmarkManyKeys is what an event costs in a log with more keys than a
// counter keeps, and the table after it: each event has a name of its own.
func BenchmarkManyKeys(b *testing.B) {
	const events = 200_000
	names := make([][]byte, events)
	for i := range names {
		names[i] = fmt.Appendf(nil, "pod-%d", i)
	}
	for _, workers := range []int{1, 4} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				counters := make([]*top.Counter, workers)
				for i := range counters {
					counters[i] = top.NewCounter(keys(b, "name"), top.ByCount)
				}
				e := audit.Event{Verb: audit.VerbGet, Stage: audit.StageResponseComplete, Code: 200, Raw: make([]byte, 800)}
				for i, name := range names {
					e.Name, e.Received = name, audit.Time(1_700_000_000_000_000+i*1000)
					e.At = e.Received + audit.Time(i%5000*100)
					counters[i%workers].Observe(&e)
				}
				for _, c := range counters[1:] {
					counters[0].Merge(c)
				}
				counters[0].Table(20, 1, 2)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
		})
	}
}

func TestRatesAreByTheTimeThatTheLogCovers(t *testing.T) {
	at := func(clock string) audit.Time {
		moment, err := time.Parse(time.RFC3339, "2026-01-05T"+clock+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return audit.TimeOf(moment)
	}
	log := strings.Repeat(request(1, "a", "C"), 300) // all at 09:00:00
	later := strings.Repeat(strings.ReplaceAll(request(2, "a", "C")+request(3, "b", "C"), "T09:00:", "T09:02:"), 15)
	for _, c := range []struct {
		name, from, to, keys, want string
		limit                      int
	}{
		{"whole minutes", "08:59:00", "09:05:00", "minute", "5 0.5", 9},
		{"a part of the first one", "09:00:50", "09:05:00", "minute", "30 0.5", 9},
		{"five minutes of an hour", "09:00:00", "09:05:00", "hour", "1.1", 9},
		{"a minute beside another key", "08:59:00", "09:05:00", "verb,minute", "5 0.5", 9},
		{"a remainder has its own minutes", "09:00:00", "09:05:00", "minute", "5 0.5", 1},
		{"each once", "09:00:00", "09:05:00", "minute,name", "5 0.5", 1},
		{"what came before the log begins", "09:01:00", "09:02:30", "minute", "5 1", 9},
		{"no time", "09:00:00", "09:05:00", "user", "1.1", 9},
	} {
		table := count(t, []byte(log+later), top.ByCount, 1, 1<<20, strings.Split(c.keys, ",")...).Table(c.limit, at(c.from), at(c.to))
		var got []string
		for _, row := range table.Rows {
			got = append(got, fmt.Sprint(row.Rate))
		}
		if table.Rest != nil {
			got = append(got, fmt.Sprint(table.Rest.Rate))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got rates %s, want %s", c.name, got, c.want)
		}
	}
}
