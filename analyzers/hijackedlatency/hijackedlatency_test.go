package hijackedlatency_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/hijackedlatency"
)

func TestHijackedLatency(t *testing.T) { analysistest.Run(t, hijackedlatency.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, hijackedlatency.New) }
