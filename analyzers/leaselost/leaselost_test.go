package leaselost_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/leaselost"
)

func TestLeaseLost(t *testing.T) { analysistest.Run(t, leaselost.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, leaselost.New, map[string][]string{
		"i-etcd-away": { // both end; the server that restarts four minutes later is not why
			`"warning likely lease kube-system/kube-controller-manager was not renewed for 5m22s[ ,].*; 2 attempts failed" kind=stopped cause=errors`,
			`"warning likely lease kube-system/kube-scheduler was not renewed for 5m21s[ ,].*; 3 attempts failed" kind=stopped cause=errors`,
		},
		"l-webhook-takes-all": { // renewals are writes that the webhook fails
			`"warning likely lease kube-system/kube-controller-manager was not renewed for 1m55s[ ,].*; 42 attempts failed, then it was renewed from there again" kind=resumed cause=errors`,
			`"warning likely lease kube-system/kube-scheduler was not renewed for 2m36s[ ,].*; 11 attempts failed" kind=stopped cause=errors`,
		},
		"m-etcd-full": {
			`"warning likely lease kube-system/kube-controller-manager was not renewed for 53s[ ,].*; 10 attempts failed" kind=stopped cause=errors`,
			`"warning likely lease kube-system/kube-scheduler was not renewed for 53s[ ,].*; 11 attempts failed" kind=stopped cause=errors`,
		},
		"038-leader-lease-lost-etcd-timeout": {
			`"warning confirmed lease monitoring/57410f0d.victoriametrics.com was not renewed for 25s by .*vm-operator at 10.244.8.8; 2 attempts failed, then .* at 10.244.9.9 took over"
				kind=takeover failed=2 cause=errors messages='["etcdserver: request timed out"]' gapSeconds=25.09 periodSeconds=2`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, leaselost.New) }
