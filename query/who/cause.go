package who

import (
	"slices"
	"strings"
	"time"
)

// How long before its effect a cause may lie.
const (
	soon  = 2 * time.Minute  // of a controller, which acts within seconds
	later = 15 * time.Minute // of the garbage collector, which retries for minutes
	drain = time.Hour        // of a drain, which waits for disruption budgets
)

// owners lists, by kind of object, the kinds that own and make such objects.
var owners = map[string][]string{
	"pods":           {"replicasets", "statefulsets", "daemonsets", "jobs", "replicationcontrollers"},
	"replicasets":    {"deployments"},
	"jobs":           {"cronjobs"},
	"endpointslices": {"services", "endpoints"},
}

// makers lists, by controller, the kind of object on whose behalf it writes others.
var makers = map[string]string{
	"replicaset-controller": "replicasets", "deployment-controller": "deployments", "statefulset-controller": "statefulsets",
	"daemon-set-controller": "daemonsets", "job-controller": "jobs", "cronjob-controller": "cronjobs",
	"replication-controller": "replicationcontrollers",
}

// controller returns the name of the controller that did a deed, "all" if it was a
// controller manager whose controllers share one user, or "" if it was none.
func controller(d *Deed) string {
	if d.User == "system:kube-controller-manager" {
		return "all"
	}
	if name, ok := strings.CutPrefix(d.User, "system:serviceaccount:kube-system:"); ok {
		return name
	}
	return ""
}

// cause returns what led to a deed, or nil. What led a person to a deed is in no
// log.
func (c *Collector) cause(d *Deed) *Link {
	if d.Subresource == "eviction" {
		return c.drained(d)
	}
	if strings.HasPrefix(d.User, nodeUser) {
		return c.collectionDeleted(d)
	}
	name := controller(d)
	switch {
	case name == "generic-garbage-collector":
		return c.ownerDeleted(d)
	case name == "namespace-controller":
		return c.namespaceDeleted(d)
	case name == "endpoint-controller" || strings.HasPrefix(name, "endpointslice"):
		return c.service(d)
	case name == "pod-garbage-collector" || isEvictor(d.User):
		return c.nodeLost(d)
	case makers[name] != "":
		return c.makerChanged(d, makers[name])
	case name == "all":
		return c.any(d)
	}
	return nil
}

// any finds a cause for what some controller of a controller manager did. It tries
// the surest kinds first.
func (c *Collector) any(d *Deed) *Link {
	tries := []func(*Deed) *Link{c.ownerDeleted, c.service, c.namespaceDeleted}
	for _, kind := range owners[d.Resource] {
		tries = append(tries, func(d *Deed) *Link { return c.makerChanged(d, kind) })
	}
	for _, try := range tries {
		if link := try(d); link != nil {
			return link
		}
	}
	return nil
}

// anything accepts any deed, where the index has chosen already.
func anything(*Deed) bool { return true }

func deletes(d *Deed) bool { return d.Verb == "delete" && d.Subresource == "" }

// ownerDeleted finds the deletion of the owner of what d deleted.
func (c *Collector) ownerDeleted(d *Deed) *Link {
	if !deletes(d) {
		return nil
	}
	const why = "its owner was deleted"
	for _, owner := range c.ownersOf(d) {
		if o := c.deletionOf(&owner, d); o != nil {
			return &Link{Deed: o, Why: why, How: "by its ownerReferences", Confidence: confirmed}
		}
	}
	deletions := func(name string) []*Deed { return c.index.deleted[place{d.Namespace, name}] }
	o := byName(d, later, deletions, func(o *Deed) bool { return owns(o.Resource, d.Resource) })
	if o == nil {
		return nil
	}
	return &Link{Deed: o, Why: why, How: "by their names and times", Confidence: likely}
}

// deletionOf returns the deletion of an owner of d's object: it is in the same
// namespace, or in none.
func (c *Collector) deletionOf(owner *Owner, d *Deed) *Deed {
	for _, deeds := range []map[place][]*Deed{c.index.deleted, c.index.elsewhere} {
		for _, namespace := range []string{d.Namespace, ""} {
			o := latest(deeds[place{namespace, owner.Name}], d, later, owner.is)
			if o != nil {
				return o
			}
		}
	}
	return nil
}

// owns reports whether objects of the first kind may own those of the second. A
// kind that is not in owners may be owned by any other.
func owns(owner, owned string) bool {
	known, ok := owners[owned]
	if !ok {
		return owner != owned
	}
	return slices.Contains(known, owner)
}

// ownersOf returns the owners of d's object, if some body in the log tells them.
func (c *Collector) ownersOf(d *Deed) []Owner {
	if d.Owners != nil {
		return d.Owners
	}
	return c.index.owners[d.object()]
}

// isOwner reports whether a body says that o's object owns d's.
func (c *Collector) isOwner(o, d *Deed) bool {
	return slices.ContainsFunc(c.ownersOf(d), func(owner Owner) bool { return owner.is(o) })
}

// makerChanged finds the write to the object, of the given kind, on whose behalf
// d's object was made: pods are deleted when their replica set is scaled down, and
// that is scaled when its deployment changes. If the log has no write to the
// replica set, the deployment will do.
func (c *Collector) makerChanged(d *Deed, kind string) *Link {
	kinds := []string{kind}
	if kind == "replicasets" {
		kinds = append(kinds, "deployments")
	}
	for _, kind := range kinds {
		writes := func(name string) []*Deed { return c.index.written[object{kind, d.Namespace, name}] }
		o := byName(d, soon, writes, func(o *Deed) bool {
			return o.User != d.User && (o.Verb == "update" || o.Verb == "patch" || o.Verb == "create" || o.Verb == "delete")
		})
		if o != nil {
			link := &Link{Deed: o, Why: "the " + strings.TrimSuffix(kind, "s") + " that it belongs to was written", How: "by their names and times", Confidence: likely}
			if c.isOwner(o, d) {
				link.How = "by its ownerReferences and the time"
			}
			return link
		}
	}
	return nil
}

// namespaceDeleted finds the deletion of the namespace.
func (c *Collector) namespaceDeleted(d *Deed) *Link {
	o := latest(c.index.namespaces[d.Namespace], d, later, anything)
	if o == nil {
		return nil
	}
	return &Link{Deed: o, Why: "its namespace was deleted", How: "by the namespace's name", Confidence: confirmed}
}

// service finds the same deed done to the Service of endpoints.
func (c *Collector) service(d *Deed) *Link {
	if d.Resource != "endpoints" && d.Resource != "endpointslices" {
		return nil
	}
	services := func(name string) []*Deed { return c.index.written[object{"services", d.Namespace, name}] }
	same := func(o *Deed) bool { return o.Verb == d.Verb }
	o := latest(services(d.Name), d, soon, same)
	if o == nil {
		o = byName(d, soon, services, same)
	}
	if o == nil {
		return nil
	}
	return &Link{Deed: o, Why: "the same was done to its Service", How: "by their names and times", Confidence: likely}
}

// collectionDeleted finds the deletion of a collection that a kubelet completed.
func (c *Collector) collectionDeleted(d *Deed) *Link {
	o := latest(c.index.collections[d.Namespace], d, grace, anything)
	if o == nil || !deletes(d) {
		return nil
	}
	return &Link{Deed: o, Why: "a kubelet only completes deletions, and this request deleted all pods, or many", How: "by the time", Confidence: likely}
}

// drained finds the cordon that an eviction follows.
func (c *Collector) drained(d *Deed) *Link {
	node := c.index.node[d.object()]
	o := latest(c.index.cordons[hand{d.Client(), node}], d, drain, anything)
	if o == nil {
		return nil
	}
	link := &Link{Deed: o, Why: "the same client had cordoned the node: this looks like a drain", How: "by client and time", Confidence: possible}
	if node != "" {
		link.How, link.Confidence = "by client and time, and the pod's node", likely
	}
	return link
}

// nodeLost finds what was done to a node before its pods were deleted: it was
// marked as not ready or was deleted. What led to the mark itself is what the node
// failed to do, and no deed.
func (c *Collector) nodeLost(d *Deed) *Link {
	node := c.index.node[d.object()]
	if node == "" || d.Resource == "nodes" {
		return nil
	}
	o := latest(c.index.nodesLost[node], d, later, anything)
	if o == nil {
		return nil
	}
	return &Link{Deed: o, Why: "its node was marked or deleted", How: "by the pod's kubelet and the time", Confidence: likely}
}

// openEnd says why a chain ends where it does, if that is not obvious.
func (c *Collector) openEnd(t *Told) string {
	end := t.end()
	if end.Resource == "endpoints" && deletes(end) && (controller(end) == "endpoint-controller" || controller(end) == "all") {
		return "the log has no deletion of the Service just before: kaudit scan --analyzers endpoint-flap,stuck-watch"
	}
	if end.Resource != "pods" && controller(end) != "generic-garbage-collector" || !deletes(end) {
		return ""
	}
	switch name := controller(end); {
	case strings.HasPrefix(end.User, nodeUser) && strings.HasSuffix(end.Name, "-"+strings.TrimPrefix(end.User, nodeUser)):
		return "this is the mirror of a static pod: the kubelet itself makes and deletes it, by the files on its node"
	case strings.HasPrefix(end.User, nodeUser):
		return "a kubelet only completes a deletion that somebody asked for: that request is not in this log"
	case name == "generic-garbage-collector":
		return "the garbage collector deletes what has lost its owner: the owner's deletion is not in this log, or more than " + later.String() + " earlier"
	case isEvictor(end.User):
		return "this controller takes pods off nodes that are not ready or are tainted: kaudit scan --analyzers heartbeat-gap"
	case name == "pod-garbage-collector":
		return "this controller deletes pods whose node is gone, and old ones that have ended"
	case makers[name] != "":
		return "this controller deletes pods that are no longer wanted: no change that led to it is in this log, or it was more than " + soon.String() + " earlier"
	case end.User == "system:kube-scheduler":
		return "the scheduler deletes pods to make room for others of higher priority"
	}
	return ""
}
