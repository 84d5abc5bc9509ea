package blockeddrain_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/blockeddrain"
)

func TestBlockedDrain(t *testing.T) { analysistest.Run(t, blockeddrain.New) }

// Nodes are drained in some of the recorded logs, and no pod is refused for long.
func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, blockeddrain.New, map[string][]string{
		"n-drain-waits": {
			`"info confirmed the eviction of 2 pods in retail .svc-o14-6644746bc4-2km9v, svc-r17-687646f588-8vlhn., which mara.admin asked for, was refused 83 times within 4m20s by the disruption budget keep-all, until they went" budgets=["keep-all"]`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, blockeddrain.New) }
