package stuckwatch_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/stuckwatch"
)

func TestStuckWatch(t *testing.T) { analysistest.Run(t, stuckwatch.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, stuckwatch.New) }
