package cluster

import (
	"fmt"
	"strconv"
	"strings"
)

// A client is a user with an agent and an address, and why it may do what it
// does, all of it as JSON.
type client struct {
	user, agent, ip, reason string
}

const kube = "v1.33.4 (linux/amd64) kubernetes/74cdb42"

func newClient(name, agent, ip, groups, reason string) *client {
	return &client{
		user:   fmt.Sprintf(`{"username":%q,"groups":[%s"system:authenticated"]}`, name, groups),
		agent:  agent,
		ip:     ip,
		reason: strconv.Quote(reason),
	}
}

// serviceAccount returns the client of a workload, with what a bound token
// tells of it.
func serviceAccount(namespace, name, agent, ip string, n int) *client {
	c := newClient("system:serviceaccount:"+namespace+":"+name, agent, ip, "", fmt.Sprintf(
		`RBAC: allowed by ClusterRoleBinding "%[1]s" of ClusterRole "%[1]s" to ServiceAccount "%[1]s/%[2]s"`, name, namespace))
	c.user = fmt.Sprintf(`{"username":"system:serviceaccount:%[1]s:%[2]s","uid":"%08[3]x-5b0c-4d8e-9a55-0d6a3b7a9c11",`+
		`"groups":["system:serviceaccounts","system:serviceaccounts:%[1]s","system:authenticated"],`+
		`"extra":{"authentication.kubernetes.io/credential-id":["JTI=%08[3]x-1f6e-4a3e-8f0e-7f6b5a4c3d21"],`+
		`"authentication.kubernetes.io/node-name":["node-%03[4]d"],"authentication.kubernetes.io/node-uid":["%08[4]x-77aa-4c01-8d2f-6a5b4c3d2e1f"],`+
		`"authentication.kubernetes.io/pod-name":["%[2]s-%05[3]x"],"authentication.kubernetes.io/pod-uid":["%08[3]x-9d3c-4b7f-a1e2-5c4d3e2f1a0b"]}}`,
		namespace, name, n, n%200)
	return c
}

// An app is a deployment with a service. Its pods are on some nodes.
type app struct {
	namespace, name string
	replicas        int
	generation      int
	pods            []pod
}

type pod struct {
	name string
	node int
}

// populate makes the clients and puts on the agenda what they do.
func (c *Cluster) populate() {
	for i := range c.Nodes {
		ip := fmt.Sprintf("10.0.%d.%d", 16+i/200, 10+i%200)
		node := fmt.Sprintf("system:node:node-%03d", i)
		c.kubelet = append(c.kubelet, newClient(node, "kubelet/"+kube, ip, `"system:nodes",`, ""))
		c.proxies = append(c.proxies, serviceAccount("kube-system", "kube-proxy", "kube-proxy/"+kube, ip, i))
		c.node(i)
	}
	for i := range 3 * c.Nodes {
		a := app{namespace: fmt.Sprintf("team-%02d", i%40), name: fmt.Sprintf("app-%03d", i), replicas: 2 + i%3}
		for range a.replicas {
			a.pods = append(a.pods, c.newPod(&a))
		}
		c.apps = append(c.apps, a)
	}
	c.controlPlane()
	c.people()
}

// node puts on the agenda what a kubelet and the agents beside it do.
func (c *Cluster) node(i int) {
	name := fmt.Sprintf("node-%03d", i)
	kubelet := c.kubelet[i]
	lease := object{"coordination.k8s.io", "leases", "kube-node-lease", name, ""}
	c.every(10*second, func() { c.update(kubelet, lease, "?timeout=10s", leaseBody) })
	c.every(300*second, func() {
		c.get(kubelet, object{"", "nodes", "", name, ""}, "?resourceVersion=0&timeout=10s", nodeBody)
		c.after(20*millis, func() { c.patch(kubelet, object{"", "nodes", "", name, "status"}, "?timeout=10s", nodeBody) })
	})
	c.watch(kubelet, object{"", "pods", "", "", ""}, "&fieldSelector=spec.nodeName%3D"+name)
	c.watch(kubelet, object{"", "nodes", "", name, ""}, "&fieldSelector=metadata.name%3D"+name)
	c.watch(kubelet, object{"", "services", "", "", ""}, "")
	c.watch(kubelet, object{"storage.k8s.io", "csidrivers", "", "", ""}, "")
	c.watch(c.proxies[i], object{"", "services", "", "", ""}, "&labelSelector=%21service.kubernetes.io%2Fheadless")
	c.watch(c.proxies[i], object{"discovery.k8s.io", "endpointslices", "", "", ""}, "&labelSelector=%21service.kubernetes.io%2Fheadless")
	c.every(30*second, func() {
		a := &c.apps[c.rand.IntN(len(c.apps))]
		c.get(kubelet, object{"", "configmaps", a.namespace, a.name, ""}, "", configBody)
	})
	c.every(60*second, func() {
		a := &c.apps[c.rand.IntN(len(c.apps))]
		c.create(kubelet, object{"", "serviceaccounts", a.namespace, a.name, "token"}, tokenBody)
	})
}

// controlPlane puts on the agenda what the cluster's own components do, and
// rollouts, which are their work.
func (c *Cluster) controlPlane() {
	for i, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		manager := newClient("system:"+name, name+"/"+kube, "10.0.0.11", "", fmt.Sprintf(
			`RBAC: allowed by ClusterRoleBinding "system:%[1]s" of ClusterRole "system:%[1]s" to User "system:%[1]s"`, name))
		elector := *manager
		elector.agent += "/leader-election"
		lease := object{"coordination.k8s.io", "leases", "kube-system", name, ""}
		c.every(2*second, func() {
			c.get(&elector, lease, "?timeout=5s", leaseBody)
			c.after(15*millis, func() { c.update(&elector, lease, "?timeout=5s", leaseBody) })
		})
		for _, o := range watched[i:] {
			c.watch(manager, o, "")
		}
	}
	for i, name := range []string{"coredns", "metrics-server", "ingress-nginx", "cert-manager", "cilium", "argocd", "prometheus", "external-dns"} {
		operator := serviceAccount("platform", name, strings.ToLower(name)+"/v1.9.2 (linux/amd64) go-client/0.33", fmt.Sprintf("10.1.%d.7", i), 1000+i)
		for _, o := range watched[i%3:] {
			c.watch(operator, o, "")
		}
		c.every(15*second, func() { c.list(operator, object{"", "pods", "platform", "", ""}) })
		c.every(300*millis, func() {
			a := &c.apps[c.rand.IntN(len(c.apps))]
			c.get(operator, object{"apps", "deployments", a.namespace, a.name, ""}, "", deploymentBody)
		})
	}
	c.every(second*500/int64(c.Nodes), c.rollout)
}

var watched = []object{
	{"", "services", "", "", ""},
	{"", "pods", "", "", ""},
	{"", "nodes", "", "", ""},
	{"apps", "deployments", "", "", ""},
	{"apps", "replicasets", "", "", ""},
	{"discovery.k8s.io", "endpointslices", "", "", ""},
	{"networking.k8s.io", "ingresses", "", "", ""},
}

// people puts on the agenda what persons and their tools do.
func (c *Cluster) people() {
	for i := range 60 {
		person := newClient(fmt.Sprintf("dev-%02d@example.com", i), "kubectl/"+kube, fmt.Sprintf("10.9.%d.%d", i%4, 20+i), `"developers",`,
			`RBAC: allowed by ClusterRoleBinding "developers" of ClusterRole "edit" to Group "developers"`)
		c.every(int64(3+i%7)*second, func() {
			a := &c.apps[c.rand.IntN(len(c.apps))]
			switch c.rand.IntN(10) {
			case 0:
				c.missing(person, object{"apps", "deployments", a.namespace, a.name + "-old", ""})
			case 1, 2:
				c.list(person, object{"", "pods", a.namespace, "", ""})
			case 3, 4:
				p := a.pods[c.rand.IntN(len(a.pods))]
				c.get(person, object{"", "pods", a.namespace, p.name, ""}, "", podBody)
			default:
				c.get(person, object{"apps", "deployments", a.namespace, a.name, ""}, "", deploymentBody)
			}
		})
	}
	probe := newClient("system:anonymous", "kube-probe/1.33", "10.0.0.11", "", `RBAC: allowed by ClusterRoleBinding "system:public-info-viewer" of ClusterRole "system:public-info-viewer" to Group "system:unauthenticated"`)
	probe.user = `{"username":"system:anonymous","groups":["system:unauthenticated"]}`
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		c.every(5*second, func() { c.path(probe, path) })
	}
}
