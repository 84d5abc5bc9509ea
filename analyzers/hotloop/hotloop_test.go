package hotloop_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis/analysistest"
	"github.com/kaudit/kaudit/analyzers/hotloop"
)

func TestHotLoop(t *testing.T) { analysistest.Run(t, hotloop.New) }

func TestRecordings(t *testing.T) {
	analysistest.Recorded(t, hotloop.New, map[string][]string{
		"j-balancer-and-fight": { // what the deployment-controller writes are the operators' changes; the servers have one host
			`"warning likely op-a@corp and op-b@corp write deployments.apps retail/svc-a0 in turns: 1[67].. writes within .*, which changed hands at least 3.. times" kind=turns writers=["op-a@corp","op-b@corp"]`,
			`"warning likely .*:deployment-controller writes replicasets.apps over and over: 2... writes to 3 objects" kind=many`,
			`"info likely system:apiserver writes leases.coordination.k8s.io kube-system/apiserver-.* in vain" kind=conflicts`,
		},
		"k-nobody-serves": { // its pods change as often
			`"info possible .*:deployment-controller writes deployments.apps retail/svc-c2 again and again: 116 times" kind=writes`,
		},
		"057-kubelet-token-wave": {
			`"info confirmed 75 clients asked for tokens of kube-system/default within 6s, 75 times in all" kind=wave clients=75 subject.resource=serviceaccounts`,
		},
		"018-two-certificates-one-secret": {
			`"warning confirmed .*cert-manager:cert-manager writes secrets shop/web-tls again and again: 120 times within 39s"
				kind=writes writes=120 conflicts=0 subject.name=web-tls subject.namespace=shop`,
		},
		"019-argocd-patch-storm": {
			`"warning likely .*argocd-application-controller writes applications.argoproj.io over and over: 150 writes to 12 objects"
				kind=many writes=150 objects=12 subject.name= subject.resource=applications`,
		},
		"020-console-operator-hot-loop": {
			`"warning likely .*console-operator reads and writes consoles.operator.openshift.io cluster .*: 60 reads and 20 writes within 17s"
				kind=requests writes=20 reads=60 count=80 subject.name=cluster`,
		},
		"022-job-status-self-conflict": {
			`"warning confirmed system:kube-controller-manager writes jobs.batch e2e-job/rand-local .status. in vain: 54 of 60"
				kind=conflicts writes=60 conflicts=54`,
		},
		"023-two-writers-one-crd": { // the pod status, which one of them writes half as often, is left alone
			`"warning likely .*gatekeeper-admin and .*crd-stamper write customresourcedefinitions.apiextensions.k8s.io .* in turns: 80 writes"
				kind=turns writes=80 turns=79 conflicts=0`,
		},
	})
}

func BenchmarkObserve(b *testing.B) { analysistest.Observe(b, hotloop.New) }
