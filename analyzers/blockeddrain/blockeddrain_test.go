package blockeddrain_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/blockeddrain"
)

func TestBlockedDrain(t *testing.T) { analysistest.Run(t, blockeddrain.New) }

// Nodes are drained in some of the recorded logs, and no pod is refused for long.
func TestRecordings(t *testing.T) { analysistest.Recorded(t, blockeddrain.New, nil) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, blockeddrain.New) }
