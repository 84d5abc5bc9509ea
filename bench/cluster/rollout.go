package cluster

import "fmt"

const suffix = "bcdfghjklmnpqrstvwxz2456789"

// newPod names a pod of the app's present generation and puts it on a node.
func (c *Cluster) newPod(a *app) pod {
	var random [5]byte
	for i := range random {
		random[i] = suffix[c.rand.IntN(len(suffix))]
	}
	return pod{name: a.set() + "-" + string(random[:]), node: c.rand.IntN(c.Nodes)}
}

// set names the app's replica set.
func (a *app) set() string {
	return fmt.Sprintf("%s-%07x", a.name, (a.generation*7919+len(a.name))&0xfffffff)
}

// controller returns the client of a controller of kube-controller-manager.
func controller(name string) *client {
	c := newClient("system:serviceaccount:kube-system:"+name, "kube-controller-manager/"+kube+"/system:serviceaccount:kube-system:"+name,
		"10.0.0.11", `"system:serviceaccounts","system:serviceaccounts:kube-system",`, fmt.Sprintf(
			`RBAC: allowed by ClusterRoleBinding "system:controller:%[1]s" of ClusterRole "system:controller:%[1]s" to ServiceAccount "%[1]s/kube-system"`, name))
	return c
}

var (
	deployer  = newClient("ci-bot", "helm/3.18 (linux/amd64) Go-http-client/2.0", "10.9.7.20", `"ci",`, `RBAC: allowed by ClusterRoleBinding "ci" of ClusterRole "admin" to Group "ci"`)
	scheduler = newClient("system:kube-scheduler", "kube-scheduler/"+kube+"/scheduler", "10.0.0.11", "", `RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler" to User "system:kube-scheduler"`)

	deployments = controller("deployment-controller")
	replicaSets = controller("replicaset-controller")
	slices      = controller("endpointslice-controller")
)

// rollout replaces the pods of an app one by one, as its deployment changes.
func (c *Cluster) rollout() {
	a := &c.apps[c.rand.IntN(len(c.apps))]
	deployment := object{"apps", "deployments", a.namespace, a.name, ""}
	c.get(deployer, deployment, "", deploymentBody)
	at := int64(40 * millis)
	step := func(d int64, do func()) {
		at += d
		c.after(at, do)
	}
	step(0, func() {
		a.generation++
		c.patch(deployer, deployment, "?fieldManager=helm", deploymentBody)
	})
	step(20*millis, func() {
		c.create(deployments, object{"apps", "replicasets", a.namespace, a.set(), ""}, deploymentBody)
	})
	for i := range a.pods {
		step(2*second+c.rand.Int64N(3*second), func() { c.replace(a, i) })
		step(15*millis, func() {
			c.update(deployments, object{"apps", "deployments", a.namespace, a.name, "status"}, "", deploymentBody)
		})
	}
}

// replace starts a new pod in the place of the i-th one, and then stops that.
func (c *Cluster) replace(a *app, i int) {
	old, next := a.pods[i], c.newPod(a)
	a.pods[i] = next
	podOf := func(p pod, subresource string) object { return object{"", "pods", a.namespace, p.name, subresource} }
	slice := object{"discovery.k8s.io", "endpointslices", a.namespace, a.name + "-x7k2p", ""}

	c.create(replicaSets, object{"", "pods", a.namespace, "", ""}, podBody)
	c.after(25*millis, func() { c.create(scheduler, podOf(next, "binding"), bindingBody) })
	c.after(60*millis, func() { c.patch(c.kubelet[next.node], podOf(next, "status"), "", podBody) })
	c.after(900*millis, func() { c.patch(c.kubelet[next.node], podOf(next, "status"), "", podBody) })
	c.after(930*millis, func() { c.update(slices, slice, "", sliceBody) })
	c.after(1000*millis, func() { c.remove(replicaSets, podOf(old, ""), podBody) })
	c.after(1020*millis, func() { c.update(slices, slice, "", sliceBody) })
	c.after(1500*millis, func() { c.patch(c.kubelet[old.node], podOf(old, "status"), "", podBody) })
	c.after(1530*millis, func() { c.remove(c.kubelet[old.node], podOf(old, ""), podBody) })
}
