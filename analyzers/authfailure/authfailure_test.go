package authfailure_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/authfailure"
)

func TestAuthFailure(t *testing.T) { analysistest.Run(t, authfailure.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, authfailure.New, map[string][]string{
		"f-big-normal-metadata": { // a permission that it never had; the nodes' 953 refusals are left out
			`"info confirmed .*ingress-nginx:ingress-nginx was refused .* create leases" kind=forbidden`,
		},
		"k-nobody-serves": { // what is refused in the namespaces that are deleted is left out
			`"warning confirmed .*replicaset-controller was refused 80 times .403. by admission in tight, within 24s: create pods .exceeded quota: few" kind=admission subject.namespace=tight`,
		},
		// The case is among those that guard against false alarms, of requests
		// without end. The burst itself is one to warn of: 25 requests in 48 s,
		// all with a token that the API server does not accept, and none that went
		// through.
		"047-auth-failure-responsestarted-only": {
			`"warning confirmed 25 requests from 10.0.152.130 .Mozilla/5.0. failed authentication .401." kind=unauthenticated failures=25
				subject.sourceIP=10.0.152.130 subject.userAgent=Mozilla/5.0 messages='["Authentication failed, attempted: bearer"]'`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, authfailure.New) }
