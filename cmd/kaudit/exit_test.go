package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestExitStatusTellsTheWorstThatHappened(t *testing.T) {
	missing := fmt.Errorf("open audit.log: %w", fs.ErrNotExist)
	for _, c := range []struct {
		what string
		err  error
		want int
	}{
		{"nothing went wrong", nil, 0},
		{"findings", errors.Join(errFindings), 3},
		{"a failure wins over findings", errors.Join(missing, errFindings), 1},
		{"a failure", errors.Join(missing), 1},
		{"a mistake", usagef("there is no flag %s", "--x"), 2},
		{"a mistake with a hint", hinted(usagef("there is no flag --x"), "did you mean --y?"), 2},
		{"a mistake with its line", fmt.Errorf("kaudit.yaml:3: %w", usagef("there is no key x")), 2},
		{"interrupted", errors.Join(errInterrupted), 130},
		{"interrupted with findings", errors.Join(errFindings, errInterrupted), 130},
		{"interrupted after a failure", errors.Join(missing, errInterrupted), 130},
		{"the reader of standard output went away", fmt.Errorf("write: %w", syscall.EPIPE), 0},
		{"findings that nobody read to the end", errors.Join(errFindings, fmt.Errorf("write: %w", syscall.EPIPE)), 3},
		{"the disk is full", fmt.Errorf("write: %w", syscall.ENOSPC), 1},
	} {
		if got := exitStatus(c.err); got != c.want {
			t.Errorf("%s: exit status %d, want %d", c.what, got, c.want)
		}
	}
}

func TestAFloodOfComplaintsIsCut(t *testing.T) {
	var errs []error
	for i := range 300 {
		errs = append(errs, fmt.Errorf("%d.go: it looks like text of another kind", i))
	}
	var got strings.Builder
	complain(&got, nil, errors.Join(append(errs, errInterrupted)...))
	lines := strings.Split(strings.TrimSpace(got.String()), "\n")
	if len(lines) != mostErrors+1 || lines[mostErrors-1] != "kaudit: and 281 more errors" || lines[mostErrors] != "kaudit: "+errInterrupted.Error() {
		t.Errorf("got %d lines:\n%s", len(lines), got.String())
	}
}

func TestComplaintsAreALineEach(t *testing.T) {
	var got strings.Builder
	complain(&got, nil, errors.Join(
		errors.New("a.log: it is cut"),
		errors.Join(hinted(errors.New("b\x1b[2J.log: no such file"), "is it %s?", "c.log"), errFindings),
	))
	const want = "kaudit: a.log: it is cut\nkaudit: b\\x1b[2J.log: no such file\nkaudit: hint: is it c.log?\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
