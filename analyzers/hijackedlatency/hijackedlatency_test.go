package hijackedlatency_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/hijackedlatency"
)

func TestHijackedLatency(t *testing.T) { analysistest.Run(t, hijackedlatency.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, hijackedlatency.New, map[string][]string{
		"i-etcd-away": {
			`"info confirmed dev-mara@corp had 6 attach sessions in retail; 1 cut by the API server's restart" cutByRestart=1`,
			`"info confirmed dev-mara@corp had 6 exec sessions in retail; 2 cut by the API server's restart" cutByRestart=2`,
			`"info confirmed dev-mara@corp had 6 portforward sessions in retail, 1 of 1m0s or longer, at most 1m13s" cutByRestart=0`,
		},
		"j-balancer-and-fight": {
			`"info confirmed dev-mara@corp had 10 attach sessions in retail, 2 of 1m0s or longer, at most 5m58s" kind=session`,
			`"info confirmed dev-mara@corp had 5 exec sessions in retail, 1 of 1m0s or longer, at most 4m43s" kind=session`,
			`"info confirmed dev-mara@corp had 9 portforward sessions in retail, 1 of 1m0s or longer, at most 2m12s" kind=session`,
		},
		"b-hijacked-metadata-all": {
			`"info confirmed alice had 15 exec sessions in shop, 2 of 1m0s or longer, at most 3m0s; 2 cut by the API server's restart$"
				kind=session sessions=15 unfinished=2 cutByRestart=2 openAtEnd=0 maxSeconds=180.116
				buckets={"1m":7,"1s":4,"200ms":0,"above":2} commands=["fail","sleep"] targets=["web-0","web-dead"]`,
			`"info confirmed alice had 2 portforward sessions to pods/web-0 in shop, 1 of 1m0s or longer" maxSeconds=89.386`,
			`"info confirmed alice had 2 proxy sessions in shop, 1 of 1m0s or longer, at most 1m41s" kind=session maxSeconds=100.549
				targets=["http:web:8080","web-0:8080"]`,
			`"info possible 1 exec session of alice to pods/web-dead ended within 15ms of the upgrade" kind=dead-upgrade deadUpgrades=1`,
			`"info confirmed alice had 4 plain log sessions to pods/web-0 in shop; 1 cut by the API server's restart$" kind=stream cutByRestart=1`,
			// The client left one after 10 s; the proxy ended it by a panic.
			`"info confirmed alice had 4 plain proxy sessions in shop, 1 of 1m0s or longer, at most 1m16s" kind=stream maxSeconds=75.572`,
		},
		"025-exec-sessions-leak": {
			`"warning likely monitor-agent had 40 exec sessions in data; 10 never ended, open for up to 14m39s, while the others took 210ms" unfinished=10 count=10`,
		},
		"027-load-balancer-idle-60s": {
			`"warning likely dev-5 had 6 exec sessions .*; 6 were cut after 1m0s, as were 5 others of this client" cut=6 kind=session`,
			`"warning likely dev-5 had 4 plain log sessions .*; 4 were cut after 1m0s, as were 7 others of this client" cut=4 kind=stream`,
			`"warning likely dev-5 had 1 portforward session .*; 1 was cut after 1m0s, as were 10 others" cut=1`,
			`"info confirmed dev-6 had 1 exec session to pods/web-1 in shop, 1 of 1m0s or longer, at most 7m13s" maxSeconds=433`,
		},
		"050-cloudwatch-s3-timestamp-prefix": {
			`"info confirmed arn:aws:iam::111122223333:user/dev had 1 exec session to pods/web-0 in shop, 1 of 1m0s or longer, at most 30m22s"`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, hijackedlatency.New) }
