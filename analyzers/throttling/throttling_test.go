package throttling_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/throttling"
)

func TestThrottling(t *testing.T) { analysistest.Run(t, throttling.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, throttling.New, map[string][]string{
		"e-panic-generic-all": { // 30 of 40 requests at once, by design, were over the limit of requests in flight
			`"warning confirmed .*ci-bot was refused 30 times .429. on widgets" refused=30`,
			`"info confirmed .*pg-operator was refused 3 times" refused=3`,
		},
		"k-nobody-serves": { // a watch cache that has just begun
			`"info confirmed the API server had not read widgets.acme.io into its watch cache: requests for it were refused once .429." kind=unready refused=1`,
		},
		"040-apf-rejects-list-storm": {
			`"warning confirmed .*default:default was refused 20 times .429. on pods.*, or 67 % with .*; it made 85 % " refused=20 clientShare=0.667`,
			`"warning confirmed .*default:default was refused 20 times .429. on events" refused=20`,
		},
		"059-daemonset-get-storm-starves-workload-low": {
			`"warning confirmed .*secret-operator-serviceaccount was refused 40 times .429. on persistentvolumeclaims" refused=40
				share=0.444 pressureRequests=90 pressure=system:serviceaccount:stackable:secret-operator-serviceaccount addresses=10`,
			`"info confirmed 5 users were refused 5 times .429. on configmaps while .*secret-operator-serviceaccount made the load" kind=victims users=5 refused=5 pressureOf=all`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, throttling.New) }
