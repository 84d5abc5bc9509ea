package main

import (
	"fmt"
	"time"
)

const kube = "v1.9.6 (linux/amd64) kubernetes/9f8ebd1"

var (
	manager    = client{"system:kube-controller-manager", "kube-controller-manager/" + kube, "10.20.0.5"}
	nodeMinder = client{"system:serviceaccount:kube-system:node-controller", "kube-controller-manager/" + kube + "/node-controller", "10.20.0.5"}
	scheduler  = client{"system:kube-scheduler", "kube-scheduler/" + kube, "10.20.0.5"}
	dns        = client{"system:serviceaccount:kube-system:coredns", "coredns/v1.1.3 (linux/amd64) go/go1.10", "10.20.1.14"}
	monitor    = client{"system:serviceaccount:watchtower:lighthouse", "lighthouse/2.4 (linux/amd64)", "10.20.2.30"}
	exporter   = client{"system:serviceaccount:billing:ledger-export", "ledger-export/0.8 go-client", "10.20.3.77"}
	pipeline   = client{"shipwright", "kubectl/v1.9.6 (linux/amd64)", "10.20.9.2"}
	ines       = client{"ines@tidewater.example", "kubectl/v1.9.6 (darwin/amd64)", "10.40.0.12"}
	bo         = client{"bo@tidewater.example", "kubectl/v1.9.6 (linux/amd64)", "10.40.0.31"}
)

func lease(namespace, name string) object {
	return object{Resource: "leases", Namespace: namespace, Name: name, APIGroup: "coordination.k8s.io"}
}

func service(name string) object {
	return object{Resource: "services", Namespace: "harbour", Name: name}
}

func endpoints(name string) object {
	return object{Resource: "endpoints", Namespace: "harbour", Name: name}
}

// nodes are the cluster's; those from balanced on come through one load
// balancer.
var nodes = []string{"pier-1", "pier-2", "pier-3", "dock-1", "dock-2", "dock-3", "dock-4"}

const balanced = 3

func kubelet(i int) client {
	ip := fmt.Sprintf("10.20.0.%d", 21+i)
	if i >= balanced {
		ip = "10.20.0.200"
	}
	return client{"system:node:" + nodes[i], "kubelet/" + kube, ip}
}

// The silence of the nodes behind the load balancer.
const (
	silentFrom = 9*time.Minute + 40*time.Second
	silentTo   = silentFrom + 85*time.Second
)

// healthy is what goes on all day: leases, watches that move on, reads.
func (w *world) healthy() {
	for i, name := range nodes {
		w.every(10*time.Second, func(at time.Duration) {
			if i < balanced || at < silentFrom || at > silentTo {
				w.call(at, kubelet(i), "update", lease("kube-node-lease", name), 200)
			}
		})
		w.every(90*time.Second, func(at time.Duration) {
			if i < balanced || at < silentFrom || at > silentTo {
				w.call(at, kubelet(i), "patch", object{Resource: "nodes", Name: name, Subresource: "status"}, 200)
			}
		})
	}
	for _, c := range []client{manager, scheduler} {
		leader := client{c.name, c.agent + "/leader-election", c.ip}
		name := c.name[len("system:"):]
		w.every(4*time.Second, func(at time.Duration) { w.call(at, leader, "update", lease("kube-system", name), 200) })
	}
	for _, c := range []client{dns, monitor} {
		version := 51_000
		for at := w.around(time.Minute); at < length; {
			seconds := 120 + w.rand.IntN(60)
			lasts := time.Duration(seconds)*time.Second + w.around(3*time.Millisecond)
			version += 40 + w.rand.IntN(30)
			w.stream(at, lasts, c, "watch", object{Resource: "services"}, watchQuery(version, seconds), 200)
			at += lasts + w.around(20*time.Millisecond)
		}
	}
	w.every(6*time.Second, func(at time.Duration) { w.call(at, monitor, "list", object{Resource: "pods"}, 200) })
	w.every(9*time.Second, func(at time.Duration) {
		w.call(at, scheduler, "get", object{Resource: "nodes", Name: nodes[w.rand.IntN(len(nodes))]}, 200)
	})
	w.every(20*time.Second, func(at time.Duration) {
		w.call(at, manager, "update", endpoints("timetable"), 200)
	})
}

func watchQuery(version, seconds int) string {
	return fmt.Sprintf("?resourceVersion=%d&timeoutSeconds=%d&watch=true", version, seconds)
}

// stuck is the watch that comes back to one version, and what the controller
// does after each round. The pipeline changes services meanwhile, which is why
// a healthy watch would move on.
func (w *world) stuck() {
	for n := range 4 { // what the stuck watch hears of again and again
		w.call(10*time.Second+time.Duration(n)*200*time.Millisecond, pipeline, "create", service([]string{"tickets", "gate", "timetable", "old-gate"}[n]), 201)
	}
	w.call(3*time.Minute+50*time.Second, pipeline, "delete", service("old-gate"), 200)
	for n, at := 0, 70*time.Second; at < length-20*time.Second; n, at = n+1, at+w.around(21*time.Second) {
		w.call(at, pipeline, "create", service(fmt.Sprintf("preview-%d", 40+n)), 201)
		w.call(at+w.around(15*time.Second), pipeline, "delete", service(fmt.Sprintf("preview-%d", 40+n)), 200)
	}
	for at := 4 * time.Minute; at < length-30*time.Second; {
		lasts := 7*time.Second + time.Duration(w.rand.IntN(5))*time.Second + w.around(2*time.Millisecond)
		w.stream(at, lasts, manager, "watch", object{Resource: "services"}, watchQuery(50_311, int(lasts/time.Second)), 200)
		gone := at + lasts + w.around(60*time.Millisecond)
		for _, name := range []string{"tickets", "gate"} {
			w.call(gone, manager, "delete", endpoints(name), 200)
			w.call(gone+w.around(1300*time.Millisecond), manager, "create", endpoints(name), 201)
			gone += w.around(15 * time.Millisecond)
		}
		at += lasts + w.around(2200*time.Millisecond)
	}
}

// silent is what the node-controller does about the nodes that nobody hears
// of.
func (w *world) silent() {
	for i := balanced; i < len(nodes); i++ {
		node := object{Resource: "nodes", Name: nodes[i]}
		mark := silentFrom + 45*time.Second + time.Duration(i)*90*time.Millisecond
		status := node
		status.Subresource = "status"
		w.call(mark, nodeMinder, "patch", status, 200)
		w.call(mark+30*time.Millisecond, nodeMinder, "patch", node, 200)
	}
}

// crowd is a client that asks for more than it may have.
func (w *world) crowd() {
	for at := 6 * time.Minute; at < 7*time.Minute; at += w.around(700 * time.Millisecond) {
		code := 429
		if w.rand.IntN(4) == 0 {
			code = 200
		}
		w.take(at, w.around(3*time.Millisecond), exporter, "list", object{Resource: "pods"}, "?limit=5000", code)
	}
}

// people is what persons do.
func (w *world) people() {
	pod := object{Resource: "pods", Namespace: "harbour", Name: "gate-0", Subresource: "exec"}
	w.stream(5*time.Minute+20*time.Second, 7*time.Minute+12*time.Second, ines, "create", pod, "?command=sh&container=gate&stdin=true&tty=true", 101)
	w.stream(8*time.Minute, 40*time.Second, ines, "create", pod, "?command=ls&container=gate", 101)
	pod.Subresource, pod.Name = "portforward", "tickets-1"
	w.stream(7*time.Minute+5*time.Second, 4*time.Minute, bo, "create", pod, "", 101)
	w.every(25*time.Second, func(at time.Duration) {
		w.call(at, bo, "list", object{Resource: "pods", Namespace: "harbour"}, 200)
	})
	w.every(40*time.Second, func(at time.Duration) {
		w.call(at, ines, "get", endpoints("gate"), 200)
	})
}
