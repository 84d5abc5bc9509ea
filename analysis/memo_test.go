package analysis

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestAMemoWorksAnAnswerOutOnceUntilMoreIsRead(t *testing.T) {
	f := facts(speaks(t, "a", 0, 10, 2)...)
	var m memo[string, int64]
	var worked atomic.Int64
	ask := func(log string) int64 {
		return m.get(f, log, func() int64 { worked.Add(1); return f.Events })
	}
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() { ask("a") })
	}
	asking.Wait()
	if got := ask("a"); got != 5 || worked.Load() != 1 {
		t.Errorf("%d events, worked out %d times; want 5 and once", got, worked.Load())
	}
	if ask("b"); worked.Load() != 2 {
		t.Error("the answer for one log was given for another")
	}
	f.Observe(speaks(t, "a", 10, 12, 2)[0], true)
	if got := ask("a"); got != 6 {
		t.Errorf("%d events after one more was read, want 6", got)
	}
	m.forget()
	if ask("a"); worked.Load() != 4 {
		t.Errorf("worked out %d times, want 4: it was told to forget", worked.Load())
	}
}
