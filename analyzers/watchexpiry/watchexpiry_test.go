package watchexpiry_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/watchexpiry"
)

func TestWatchExpiry(t *testing.T) { analysistest.Run(t, watchexpiry.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, watchexpiry.New, map[string][]string{
		"i-etcd-away": {
			`"warning likely 16 clients started over when the API server started at 14:44:33 and listed again within 11s" kind=storm restart=true`,
		},
		"h-ha-two-apiservers": { // a load balancer moves six nodes back to the server that has returned
			`"info confirmed 7 clients lost their watches at 14:12:26 and listed again within 2s" kind=storm restart=false`,
		},
		"a-stuck-metadata-same": { // 410 in six streams at the end
			`"info possible 6 of 45 watches of system:kube-controller-manager on services"`,
		},
		"e-panic-generic-all": { // two explicit, two in the stream, on purpose
			`"info confirmed 4 of 8 watches of .*prometheus-k8s on widgets" gone=2`,
		},
		"002-stale-rv-tight-loop":   {`"warning likely 70 of 70 watches" kind=expired relists=0`},
		"004-http-410-loop-same-rv": {`"warning confirmed 20 of 20 watches" kind=expired gone=20 oldestVersion=4711990`},
		"006-too-large-rv-relist-loop": {
			`"warning confirmed system:node:ip-10-0-7-31 lists csidrivers.storage.k8s.io at resourceVersion 99341022"
				kind=list-loop lists=16 tooLarge=16 serverVersion=99340871`,
		},
		"007-watch-ends-in-milliseconds": {`"info possible 3 of 9 watches of .*manager:testservice on pods" kind=expired`},
		"051-relist-storm-after-restart": {
			`"warning confirmed 25 clients lost their watches at 03:00:59 and listed again" kind=storm clients=25 watches=25`,
		},
		"055-relist-loop-fixed-rv": {
			`"warning confirmed .* lists secrets at resourceVersion 1391101112 again and again: 60 lists" kind=list-loop`,
			`"warning confirmed .* lists pods at resourceVersion 1391102207 again and again: 30 lists" kind=list-loop`,
			`"warning confirmed .* lists services at resourceVersion 1391102075 again and again: 30 lists" kind=list-loop`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, watchexpiry.New) }
