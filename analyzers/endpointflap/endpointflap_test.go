package endpointflap_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/endpointflap"
)

func TestEndpointFlap(t *testing.T) { analysistest.Run(t, endpointflap.New) }

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, endpointflap.New) }
