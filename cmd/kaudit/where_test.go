package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kaudit/kaudit/audit"
)

func eventAt(line int, raw string) *audit.Event {
	return &audit.Event{
		Source: "audit.log", Line: line, Offset: int64(line), At: audit.Time(line + 1), Raw: audit.View(raw),
		AuditID: audit.View(fmt.Sprint("a", line)), Stage: audit.StageResponseComplete,
	}
}

func TestWhereSelectsWhatIsNeitherFalseNorNull(t *testing.T) {
	const raw = `{"verb":"get","objectRef":{"namespace":"shop"},"annotations":{"a":"b"}}`
	for condition, want := range map[string]bool{
		`.verb == "get"`:                      true,
		`.verb == "list"`:                     false,
		`.objectRef.namespace`:                true,
		`.objectRef.name`:                     false,
		`.annotations | has("a")`:             true,
		`empty`:                               false,
		`(false, true)`:                       true,
		`select(.verb == "list")`:             false,
		`.annotations[] | test("b")`:          true,
		`.verb == "get" and (.code // 0) > 1`: false,
	} {
		code, err := compileJQ("--where", condition)
		if err != nil {
			t.Fatal(err)
		}
		w := where{ctx: t.Context(), code: code, limits: whereLimits}
		if got := w.selects(eventAt(0, raw)); got != want || w.first != nil {
			t.Errorf("%s: got %t, want %t; %v", condition, got, want, w.first)
		}
	}
}

func TestWhereTellsOfItsEarliestFailure(t *testing.T) {
	code, err := compileJQ("--where", ".verb + 1")
	if err != nil {
		t.Fatal(err)
	}
	w := where{ctx: t.Context(), code: code, limits: whereLimits}
	for _, line := range []int{7, 4, 9} {
		if w.selects(eventAt(line, `{"verb":"get"}`)) {
			t.Error("an event on which the condition fails is selected")
		}
	}
	const want = "kaudit: scan: --where failed on 3 events, which are left out; the first is audit.log:5: " +
		"cannot add: string (\"get\") and number (1)\n"
	var got strings.Builder
	w.tell(voice{command: "scan", out: &got})
	if got.String() != want {
		t.Errorf("got  %swant %s", got.String(), want)
	}
}

func TestWhereGivesUpAfterAnEventThatItIsNeverDoneWith(t *testing.T) {
	for _, condition := range []string{`[range(1e18)]`, `last(repeat(1))`, `def f: f; f`} {
		code, err := compileJQ("--where", condition)
		if err != nil {
			t.Fatal(err)
		}
		w, ctx := newWhere(t.Context(), code)
		w.limits.steps = 10_000
		if w.selects(eventAt(7, `{"verb":"get"}`)) {
			t.Errorf("%s: the event is selected", condition)
		}
		const want = "--where: it was not done after 10000 steps with an event of audit.log: " +
			"audit ID a7, stage ResponseComplete, 1970-01-01T00:00:00.000008Z"
		if err := endless(ctx); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", condition, err, want)
		}
		before := time.Now()
		if w.selects(eventAt(8, `{"verb":"get"}`)) || time.Since(before) > time.Second/4 {
			t.Errorf("%s: the next event is looked at, too", condition)
		}
	}
}

func TestWhereGivesUpWhatEatsTheMachine(t *testing.T) {
	for _, condition := range []string{`reduce range(60) as $i ("ab"; . + . + . + .) | length`, `reduce range(60) as $i ([1]; . + .)`} {
		code, err := compileJQ("--where", condition)
		if err != nil {
			t.Fatal(err)
		}
		w, ctx := newWhere(t.Context(), code)
		w.limits.room = 16 << 20
		if w.selects(eventAt(7, `{"verb":"get"}`)) {
			t.Errorf("%s: the event is selected", condition)
		}
		const want = "--where: it took more than 16 MiB of memory with an event of audit.log: " +
			"audit ID a7, stage ResponseComplete, 1970-01-01T00:00:00.000008Z"
		if err := endless(ctx); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", condition, err, want)
		}
	}
}

func TestWhereLooksAtEveryValueOfABigEvent(t *testing.T) {
	labels := strings.Repeat(`{"name":"a","value":"b"},`, 10_000) + `"last"`
	code, err := compileJQ("--where", `[.. | strings] | any(. == "last")`)
	if err != nil {
		t.Fatal(err)
	}
	w := where{ctx: t.Context(), code: code, limits: whereLimits}
	if !w.selects(eventAt(0, `{"responseObject":[`+labels+`]}`)) {
		t.Errorf("the event is not selected: %v", w.first.err)
	}
}
