package servererror_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/servererror"
)

func TestServerError(t *testing.T) { analysistest.Run(t, servererror.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, servererror.New, map[string][]string{
		"l-webhook-takes-all": {
			`"warning confirmed the webhook labels.platform.corp at labeler.retail.svc could not be called .service .labeler. not found., and 316 requests failed within 1m50s" kind=webhook webhook=labels.platform.corp`,
		},
		"m-etcd-full": {
			`"warning confirmed etcd refused requests .etcdserver: mvcc: database space exceeded., and 316 requests failed within 52s" kind=storage`,
		},
		"k-nobody-serves": {
			`"warning confirmed the webhook images.policy.corp at 127.0.0.1:9 could not be called .dial tcp 127.0.0.1:9: connect: connection refused., and 27 requests failed within 1m8s: patch deployments.apps, create deployments.apps" kind=webhook webhook=images.policy.corp`,
			`"warning confirmed the webhook that converts widgets.acme.io failed .*, and 14 requests failed within 39s: list widgets.acme.io" kind=conversion clients='["op-a@corp"]'`,
			`"warning likely nobody served the API metrics.k8s.io .503., and 31 requests failed within 2m0s: list pods.metrics.k8s.io" kind=aggregated subject.apiGroup=metrics.k8s.io`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, servererror.New) }
