package slowrequest_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/slowrequest"
)

func TestSlowRequest(t *testing.T) { analysistest.Run(t, slowrequest.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, slowrequest.New, map[string][]string{
		"j-balancer-and-fight": { // all pods start at once
			`"info confirmed 11 requests of 6 clients to create serviceaccounts/token took 1s or more"`,
		},
		"e-panic-generic-all": {
			`"info confirmed 3 of 8 requests of alice to get widgets took 1s or more" constantSeconds=0`,
			`"info confirmed 3 of 3 requests of ci-bot to update widgets" constantSeconds=0 maxSeconds=9.020641`,
			`"info confirmed 10 of 40 requests of ci-bot to get widgets" cause=unexplained`,
		},
		// The machine had too few processors. All of it is information: the part of
		// the recording is the busiest.
		"f-big-normal-metadata": {
			`"info confirmed 12 of 22 requests of ci-bot to delete services" verySlow=0`,
			`"info confirmed 8 requests of 8 clients to create serviceaccounts/token .* of 46 that these clients made; most of the time went to etcd" clients=8`,
			`"info confirmed 44 requests of 32 clients to delete pods .* of 442 that these clients made" verySlow=0`,
		},
		"whole/f-big-normal-metadata": {
			`"info confirmed 42 of 444 requests of ci-bot to create services" maxSeconds=5.387453`,
			`"info confirmed 19 of 346 requests of ci-bot to delete deployments" verySlow=0`,
			`"info confirmed 96 of 346 requests of ci-bot to delete services" cause=unexplained`,
			`"info confirmed 572 requests of 62 clients to delete pods .* of 10121 that these clients made" maxSeconds=7.197882`,
		},
		"035-webhook-timeout-30s": {
			`"warning likely 4 of 6 requests of .*:spark:spark to create pods .*: 3 took 30 s exactly, as if a webhook timed out" constantSeconds=30`,
		},
		"036-webhook-10s-failed-open-annotated": {
			`"warning confirmed 7 of 7 requests of .*service-account-controller to create serviceaccounts .*: webhook mutating.example.io timed out, 7 went on without it"
				webhook=mutating.example.io failedOpen=7 constantSeconds=10 cause=webhook`,
		},
		"040-apf-rejects-list-storm": { // queue time, no slow storage
			`"warning confirmed 4 of 30 requests of system:serviceaccount:default:default to list pods .* most of the time went to waiting in a queue .apf-queue-wait." refused=4`,
			`"warning confirmed 3 of 30 requests of system:serviceaccount:default:default to list events .* most of the time went to waiting in a queue .apf-queue-wait." refused=3`,
		},
		"041-apiserver-crash-mid-line": {
			`"warning confirmed 40 of 40 requests of .* to delete pods failed because webhook webhook.example.com timed out; the longest took 12s" count=40 webhook=webhook.example.com constantSeconds=12`,
		},
		"051-relist-storm-after-restart": {`"info confirmed 22 requests of 22 clients to list pods took 1s or more, at most 3.3s, of 22 that these clients made" clients=22`},
		"055-relist-loop-fixed-rv":       {`"info confirmed 33 of 60 requests of .*longhorn-service-account to list secrets" maxSeconds=1.827372`},
		"057-kubelet-token-wave":         {`"info confirmed 11 requests of 11 clients to create serviceaccounts/token .* of 11 that these clients made" clients=11`},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, slowrequest.New) }
