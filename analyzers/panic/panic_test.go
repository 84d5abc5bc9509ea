package panics_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	panics "github.com/kaudit/kaudit/analyzers/panic"
)

func TestPanic(t *testing.T) { analysistest.Run(t, panics.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, panics.New, map[string][]string{
		"b-hijacked-metadata-all": { // the client left a proxied request
			`"info confirmed 1 connection of get services/proxy by alice cut on purpose" aborts=1 panics=0`,
		},
		"e-panic-generic-all": { // 13 panics and 4 aborts
			`"critical confirmed the API server panicked 4 times on get widgets.lab.example.com by alice: assignment to entry in nil map" panics=4 value="assignment to entry in nil map"`,
			`"critical confirmed the API server panicked 3 times on update widgets.lab.example.com by ci-bot: widget store corrupted" panics=3`,
			`"critical confirmed the API server panicked 2 times on get widgets.lab.example.com by alice: after the response was written" panics=2`,
			`"critical confirmed the API server panicked 2 times on update widgets.lab.example.com by ci-bot: .*, 7s or more after the request was received" panics=2`,
			`"critical confirmed the API server panicked 2 times on watch widgets.lab.example.com by .*: watch handler blew up" panics=2`,
			`"info confirmed 4 connections of get, watch widgets.lab.example.com by 2 users cut on purpose" aborts=4 panics=0`,
		},
		// It has no message: a watch that was cut on purpose looks the same.
		"049-legacy-text-format": {
			`"critical possible the API server panicked once on watch demo.demo.example.io by demo: unknown" panics=1`,
		},
		"028-proxied-watch-abort-panics": {
			`"info confirmed 8 connections of watch networkpolicies.projectcalico.org by .* cut on purpose" aborts=8 panics=0`,
		},
		"034-nil-pointer-panic": {
			`"critical confirmed the API server panicked 3 times on list pods by system:serviceaccount:team:lister: .*nil pointer dereference, 1m1.2s or more" panics=3`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, panics.New) }
