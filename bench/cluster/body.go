package cluster

import (
	"strconv"
	"strings"
)

// A template is an object as JSON. Its odd parts name what differs between
// requests: name, namespace, rv, uid, time.
type template []string

// body reads a template: line breaks and indents are left out, @name@ is
// replaced.
func body(text string) template {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line))
	}
	return strings.Split(b.String(), "@")
}

func (t template) append(b []byte, r *request, c *Cluster) []byte {
	for i, part := range t {
		if i%2 == 0 {
			b = append(b, part...)
			continue
		}
		switch part {
		default:
			panic("a body has no @" + part + "@")
		case "name":
			b = append(b, r.object.name...)
		case "namespace":
			b = append(b, r.object.namespace...)
		case "rv":
			b = strconv.AppendUint(b, c.rv, 10)
		case "uid":
			b = appendUID(b, r.id)
		case "time":
			b = appendTime(b, r.received)
		}
	}
	return b
}

const meta = `"metadata":{"name":"@name@","namespace":"@namespace@","uid":"@uid@","resourceVersion":"@rv@","generation":3,"creationTimestamp":"2026-11-20T09:14:03Z",
	"labels":{"app.kubernetes.io/name":"@name@","app.kubernetes.io/instance":"@name@","app.kubernetes.io/managed-by":"Helm","pod-template-hash":"7d9f8c6b5d"},
	"annotations":{"meta.helm.sh/release-name":"@name@","kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"@name@\"},\"data\":{\"level\":\"info\"}}\n"},
	"managedFields":[{"manager":"helm","operation":"Update","apiVersion":"v1","time":"2026-11-20T09:14:03Z","fieldsType":"FieldsV1",
		"fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:meta.helm.sh/release-name":{}},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/instance":{}}},
		"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"LEVEL\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},
		"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},
		"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}}}},"f:restartPolicy":{},"f:schedulerName":{}}}},
		{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"@time@","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{
		"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}},"subresource":"status"}]}`

const containers = `"containers":[{"name":"main","image":"registry.example.com/shop/main:2.14.7","args":["--listen=:8080","--config=/etc/main/config.yaml"],
	"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
	"env":[{"name":"LEVEL","value":"info"},{"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],
	"resources":{"limits":{"memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}},
	"volumeMounts":[{"name":"config","mountPath":"/etc/main"},{"name":"kube-api-access-x7k2p","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],
	"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
	"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent",
	"securityContext":{"capabilities":{"drop":["ALL"]},"runAsNonRoot":true,"allowPrivilegeEscalation":false}}],
	"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler",
	"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
	{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`

var (
	podBody = body(`{"kind":"Pod","apiVersion":"v1",` + meta + `,"spec":{"volumes":[{"name":"config","configMap":{"name":"@name@","defaultMode":420}},
		{"name":"kube-api-access-x7k2p","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],
		` + containers + `},"status":{"phase":"Running","conditions":[
		{"type":"PodReadyToStartContainers","status":"True","lastProbeTime":null,"lastTransitionTime":"@time@"},
		{"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":"@time@"},
		{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"@time@"},
		{"type":"ContainersReady","status":"True","lastProbeTime":null,"lastTransitionTime":"@time@"}],
		"hostIP":"10.0.16.10","podIP":"10.244.3.17","podIPs":[{"ip":"10.244.3.17"}],"startTime":"@time@",
		"containerStatuses":[{"name":"main","state":{"running":{"startedAt":"@time@"}},"lastState":{},"ready":true,"restartCount":0,
		"image":"registry.example.com/shop/main:2.14.7","imageID":"sha256:9f2c1d7e6b5a4f3e2d1c0b9a8f7e6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c","containerID":"containerd://@uid@","started":true}],"qosClass":"Burstable"}}`)

	deploymentBody = body(`{"kind":"Deployment","apiVersion":"apps/v1",` + meta + `,"spec":{"replicas":3,"selector":{"matchLabels":{"app.kubernetes.io/name":"@name@"}},
		"template":{"metadata":{"creationTimestamp":null,"labels":{"app.kubernetes.io/name":"@name@"}},"spec":{` + containers + `}},
		"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},
		"status":{"observedGeneration":3,"replicas":3,"updatedReplicas":3,"readyReplicas":3,"availableReplicas":3,"conditions":[
		{"type":"Available","status":"True","lastUpdateTime":"@time@","lastTransitionTime":"@time@","reason":"MinimumReplicasAvailable","message":"Deployment has minimum availability."},
		{"type":"Progressing","status":"True","lastUpdateTime":"@time@","lastTransitionTime":"@time@","reason":"NewReplicaSetAvailable","message":"ReplicaSet \"@name@\" has successfully progressed."}]}}`)

	nodeBody = body(`{"kind":"Node","apiVersion":"v1",` + meta + `,"spec":{"podCIDR":"10.244.3.0/24","podCIDRs":["10.244.3.0/24"],"providerID":"example://@uid@"},
		"status":{"capacity":{"cpu":"16","ephemeral-storage":"203234260Ki","hugepages-1Gi":"0","memory":"65853784Ki","pods":"110"},
		"allocatable":{"cpu":"15890m","ephemeral-storage":"187300693706","hugepages-1Gi":"0","memory":"62832984Ki","pods":"110"},"conditions":[
		{"type":"MemoryPressure","status":"False","lastHeartbeatTime":"@time@","lastTransitionTime":"2026-11-20T09:14:03Z","reason":"KubeletHasSufficientMemory","message":"kubelet has sufficient memory available"},
		{"type":"DiskPressure","status":"False","lastHeartbeatTime":"@time@","lastTransitionTime":"2026-11-20T09:14:03Z","reason":"KubeletHasNoDiskPressure","message":"kubelet has no disk pressure"},
		{"type":"Ready","status":"True","lastHeartbeatTime":"@time@","lastTransitionTime":"2026-11-20T09:14:03Z","reason":"KubeletReady","message":"kubelet is posting ready status"}],
		"addresses":[{"type":"InternalIP","address":"10.0.16.10"},{"type":"Hostname","address":"@name@"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},
		"images":[{"names":["registry.example.com/shop/main:2.14.7"],"sizeBytes":203541133},{"names":["registry.example.com/platform/proxy:1.9.2"],"sizeBytes":88211301}]}}`)

	sliceBody = body(`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1",` + meta + `,"addressType":"IPv4","endpoints":[
		{"addresses":["10.244.3.17"],"conditions":{"ready":true,"serving":true,"terminating":false},"targetRef":{"kind":"Pod","namespace":"@namespace@","name":"@name@","uid":"@uid@"},"nodeName":"node-001"},
		{"addresses":["10.244.7.4"],"conditions":{"ready":true,"serving":true,"terminating":false},"targetRef":{"kind":"Pod","namespace":"@namespace@","name":"@name@","uid":"@uid@"},"nodeName":"node-002"}],
		"ports":[{"name":"http","protocol":"TCP","port":8080}]}`)

	configBody = body(`{"kind":"ConfigMap","apiVersion":"v1",` + meta + `,"data":{"config.yaml":"listen: \":8080\"\nlevel: info\nlimits:\n  requests: 100\n  burst: 200\nupstreams:\n- name: \"db\"\n  url: \"postgres://db:5432/shop?sslmode=require\u0026pool=10\"\n"}}`)

	leaseBody = body(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"@name@","namespace":"@namespace@","uid":"@uid@","resourceVersion":"@rv@","creationTimestamp":"2026-11-20T09:14:03Z",
		"managedFields":[{"manager":"kubelet","operation":"Update","apiVersion":"coordination.k8s.io/v1","time":"@time@","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},"f:renewTime":{}}}}]},
		"spec":{"holderIdentity":"@name@","leaseDurationSeconds":40,"renewTime":"@time@"}}`)

	tokenBody   = body(`{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"@name@","namespace":"@namespace@","creationTimestamp":"@time@"},"spec":{"audiences":["https://kubernetes.default.svc"],"expirationSeconds":3607},"status":{"token":"","expirationTimestamp":"@time@"}}`)
	bindingBody = body(`{"kind":"Binding","apiVersion":"v1","metadata":{"name":"@name@","namespace":"@namespace@","uid":"@uid@","creationTimestamp":null},"target":{"kind":"Node","name":"node-001"}}`)
	patchBody   = body(`{"metadata":{"uid":"@uid@"},"status":{"$setElementOrder/conditions":[{"type":"Ready"}],"conditions":[{"lastTransitionTime":"@time@","status":"True","type":"Ready"}]}}`)
	deleteBody  = body(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":30,"preconditions":{"uid":"@uid@"}}`)
)
