package watchexpiry_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/watchexpiry"
)

func TestWatchExpiry(t *testing.T) { analysistest.Run(t, watchexpiry.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, watchexpiry.New) }
