package watchstall_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/watchstall"
)

func TestWatchStall(t *testing.T) { analysistest.Run(t, watchstall.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, watchstall.New) }
