package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestTheCaretStandsBelowTheMistake(t *testing.T) {
	for expression, want := range map[string]string{
		".a == )":              "--where: unexpected token \")\"\n.a == )\n      ^",
		".a |":                 "--where: unexpected EOF\n.a |\n    ^",
		".a | lenght":          "--where: function not defined: lenght/0\n.a | lenght\n     ^",
		".a == $user":          "--where: variable not defined: $user\n.a == $user\n      ^",
		"\"é\" == \"x\" and ]": "--where: unexpected token \"]\"\n\"é\" == \"x\" and ]\n               ^",
		".a ==\n.b ==":         "--where: unexpected token \"==\"\n.b ==\n   ^",
		`.a == "x`:             "--where: unterminated string literal\n.a == \"x\n        ^",
	} {
		_, err := compileJQ("--where", expression)
		if err == nil {
			t.Errorf("%s compiles", expression)
		} else if err.Error() != want {
			t.Errorf("got\n%s\nwant\n%s", err, want)
		}
	}
	if _, err := compileJQ("--where", `.user.username | startswith("system:")`); err != nil {
		t.Error(err)
	}
}

func TestAnAssignmentIsNoCondition(t *testing.T) {
	for _, c := range []struct{ flag, expression, want string }{
		{"--where", `.verb = "get"`, `did you mean .verb == "get"?`},
		{"--where", `.verb == "get" and (.code = 5)`, `did you mean .verb == "get" and (.code == 5)?`},
		{"--where", `.annotations | any(. = "x")`, `did you mean .annotations | any(. == "x")?`},
		{"--where", `(.verb = "x") | not`, `did you mean (.verb == "x") | not?`},
		{"--where", `if .a = 1 then true else false end`, `did you mean if .a == 1 then true else false end?`},
		{"--where", `.x = 1 | .x`, ""},
		{"--where", `(.x = 1).y`, ""},
		{"--where", `.verb == "="`, ""},
		{"--jq", `.findings[] | select(.severity = "critical").title`, `did you mean .findings[] | select(.severity == "critical").title?`},
		{"--jq", `[.findings | map(select(.id = "x"))]`, `did you mean [.findings | map(select(.id == "x"))]?`},
		{"--jq", `.findings = []`, ""},
	} {
		_, err := compileJQ(c.flag, c.expression)
		hint := ""
		if h, ok := errors.AsType[hintedError](err); ok {
			hint = h.hint
		}
		if hint != c.want || (err != nil) != (c.want != "") {
			t.Errorf("%s %s: got %v, hint %q; want %q", c.flag, c.expression, err, hint, c.want)
		}
	}
}

func TestAnInterruptedShapeIsToldAsOtherInterruptionsAre(t *testing.T) {
	code, err := compileJQ("--jq", "last(repeat(.))")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err = (&shaper{code, shapeLimits}).print(ctx, io.Discard, 1)
	if !errors.Is(err, errShaping) || exitStatus(err) != exitInterrupted {
		t.Errorf("got %v, exit status %d; want %v, %d", err, exitStatus(err), errShaping, exitInterrupted)
	}
}

func TestAShapeWithoutAnEndIsGivenUp(t *testing.T) {
	const steps, memory = "--jq: it was not done after 10000 steps", "--jq: it took more than 16 MiB of memory"
	for expression, want := range map[string]string{
		`last(repeat(1))`:                               steps,
		`.[0], (def f: f; f)`:                           steps,
		`reduce range(60) as $i ("ab"; . + .) | length`: memory,
		`[range(9)] | length`:                           "",
	} {
		code, err := compileJQ("--jq", expression)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		err = (&shaper{code, limits{steps: 10_000, room: 16 << 20}}).print(t.Context(), &got, []int{7})
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want || exitStatus(err) != exitFailure):
			t.Errorf("%s: got %v, want %s", expression, err, want)
		case strings.HasPrefix(expression, ".[0]") && got.String() != "7\n":
			t.Errorf("%s: what came before is lost: %q", expression, got.String())
		}
	}
}

func TestJQPrintsAsGhDoes(t *testing.T) {
	report := map[string]any{"events": 8389210, "title": "a\x1b[2Jb", "none": nil, "list": []any{1, 2.5}, "ok": true}
	for expression, want := range map[string]string{
		".events":            "8389210\n",
		".title":             "a\x1b[2Jb\n",
		".none":              "\n",
		".list":              "[1,2.5]\n",
		".list[]":            "1\n2.5\n",
		".ok":                "true\n",
		"{events, ok}":       `{"events":8389210,"ok":true}` + "\n",
		"empty":              "",
		".ok, halt, .none":   "true\n",
		".list[0] | .events": "error",
		"$ENV.PATH":          "\n",
	} {
		code, err := compileJQ("--jq", expression)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := (&shaper{code, shapeLimits}).print(t.Context(), &got, report); err != nil {
			got.WriteString("error")
		}
		if got.String() != want {
			t.Errorf("%s: got %q, want %q", expression, got.String(), want)
		}
	}
}
