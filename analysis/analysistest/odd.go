package analysistest

import "github.com/kaudit/kaudit/audit"

// odd returns events that lack what one might count on: no object, no status,
// no user, no time, stamps in the wrong order.
func odd() []audit.Event {
	verbs := []audit.Sym{
		{},
		audit.VerbGet, audit.VerbList, audit.VerbWatch, audit.VerbCreate, audit.VerbUpdate,
		audit.VerbPatch, audit.VerbDelete, audit.VerbDeleteCollection, audit.Intern("no-such-verb"),
	}
	resources := []string{"", "services", "endpoints", "endpointslices", "pods", "nodes", "leases", "namespaces"}
	subresources := []audit.Sym{{}, audit.SubExec, audit.SubLog, audit.SubProxy, audit.SubStatus}
	var all []audit.Event
	for stage := audit.StageUnknown; stage <= audit.StagePanic; stage++ {
		for _, verb := range verbs {
			for i, resource := range resources {
				e := audit.Event{Stage: stage, Verb: verb, Resource: audit.Intern(resource), Subresource: subresources[i%len(subresources)]}
				all = append(all, e)
				e.Code, e.At, e.Received = 101, 1, 2 // it ends before it begins
				e.URI = audit.View("?resourceVersion=-1&timeoutSeconds=99999999999&watch")
				all = append(all, e)
				e.Code, e.At, e.Received = 200, 1<<60, 0
				e.URI = audit.View("/api/v1/%zz?resourceVersion=18446744073709551616&%%%=&&")
				e.User, e.AuditID = audit.Intern("\x1b[31m\u202e"), audit.View("\x00")
				all = append(all, e)
			}
		}
	}
	return all
}
