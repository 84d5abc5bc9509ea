package servererror_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/servererror"
)

func TestServerError(t *testing.T) { analysistest.Run(t, servererror.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, servererror.New, map[string][]string{})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, servererror.New) }
