package parser

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheEndOfALogIsKnownWhateverItIsPackedIn(t *testing.T) {
	later := strings.ReplaceAll(event("b"), "09:00:00", "09:30:00")
	many := strings.Repeat(event("a")+"\n", 2*tailSize/len(event("a")))
	latest := later + "\n" + event("a") + "\n" + event("c")[:40]
	dir := tree(t, map[string]string{
		"audit.log": latest, "audit.log.gz": string(gzipped(latest)), "long.log.gz": string(gzipped(many + latest)),
		"audit.tar":     tarOf(t, file{"cp1/audit.log", latest}, file{"cp2/audit.log", event("a")}),
		"pretty.json":   `{"kind":"EventList","items":[` + "\n" + strings.Repeat("  "+event("a")+",\n", 2*tailSize/len(event("a"))) + later + "\n]}",
		"rotated/a.log": event("a"), "rotated/a-2026-01-05T09-15-00.000.log.gz": string(gzipped(event("c"))), "rotated/b.log.gz": string(gzipped(later)),
		"clock.log": latest + "\n" + strings.ReplaceAll(later, "2026-", "2031-"),
		"klog.log":  httplog, "text.log": "x\n", "text.log.gz": string(gzipped("x\n")),
	})
	end := func(names ...string) string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		at, err := End(t.Context(), Find(names, nil).Logs, Options{})
		if err != nil {
			return strings.ReplaceAll(err.Error(), dir+"/", "")
		}
		return at.String()
	}
	for _, name := range []string{"audit.log", "audit.log.gz", "long.log.gz", "audit.tar", "audit.tar!cp1/*", "pretty.json", "rotated", "clock.log"} {
		if got, want := end(name), "2026-01-05T09:30:00.000100Z"; got != want {
			t.Errorf("the end of %s is %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"text.log", "text.log.gz"} {
		if got, want := end(name), name+": no audit event near its end"; got != want {
			t.Errorf("the end of %s is %s, want %s", name, got, want)
		}
	}
	if got, want := end("klog.log"), "-01-05T09:30:00.123456Z"; !strings.HasSuffix(got, want) {
		t.Errorf("the end of klog.log is %s, want %s of some year", got, want)
	}
	if at, err := QuickEnd(Find([]string{filepath.Join(dir, "clock.log")}, nil).Logs[0]); err != nil || at.Std().Year() != 2031 {
		t.Errorf("the end of what clock.log covers is %s, %v", at, err)
	}
	quick := func(name string) error {
		_, err := QuickEnd(Find([]string{filepath.Join(dir, name)}, nil).Logs[0])
		return err
	}
	if err := quick("audit.log"); err != nil {
		t.Errorf("the end of audit.log: %v", err)
	}
	if err := quick("audit.log.gz"); !errors.Is(err, ErrNoEnd) {
		t.Errorf("audit.log.gz was unpacked for its end: %v", err)
	}
	if begin, err := Begin(Find([]string{filepath.Join(dir, "audit.log.gz")}, nil).Logs[0]); err != nil || begin.String() != "2026-01-05T09:30:00.000100Z" {
		t.Errorf("the beginning of audit.log.gz is %s, %v", begin, err)
	}
}

func TestLookingForTheEndCanBeInterrupted(t *testing.T) {
	dir := tree(t, map[string]string{"audit.log.gz": string(gzipped(event("a")))})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := End(ctx, Find([]string{dir}, nil).Logs, Options{}); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
