package main

import (
	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query/timeline"
)

// The kinds of marks that heartbeat-gap makes of nodes.
const (
	silence       = "gap"
	failingBeats  = "failing"
	timeElsewhere = "elsewhere"
	timeHeard     = "heard"
)

// aboutFinding returns what the story of a finding is about: the object or the
// nodes that it names, or what its client does to its scope.
func aboutFinding(f *analysis.Finding) []timeline.Subject {
	s := &f.Subject
	switch nodes := silentNodes(f); {
	case len(nodes) > 1:
		return append(evictors(f), timeline.Subject{Nodes: nodes})
	case s.Node != "":
		return append(evictors(f), timeline.Subject{Node: s.Node})
	case s.Name != "" && s.Resource != "":
		return []timeline.Subject{{Resource: s.Resource, APIGroup: s.APIGroup, Exact: true, Namespace: s.Namespace, Name: s.Name}}
	}
	scope := timeline.Subject{Namespace: s.Namespace}
	if s.Resource != "" && s.Resource != analysis.AnyResource {
		scope.Resource, scope.APIGroup, scope.Exact = s.Resource, s.APIGroup, true
	}
	client := scope
	client.Subresource, client.User, client.UserAgent = s.Subresource, s.User, s.UserAgent
	client.Watches = f.Details.Text("kind") == "storm"
	client.Clients = s.User == "" || s.SourceIP == ""
	if s.User == "" {
		client.SourceIP = s.SourceIP
	}
	if f.Analyzer != "stuck-watch" {
		return []timeline.Subject{client}
	}
	scope.Writes = true // the writes that the stuck watch did not report
	return []timeline.Subject{client, scope}
}

// evictors returns the controllers that delete the pods of silent nodes, if the
// finding counts such pods: the node-controller, and since Kubernetes 1.29 the
// taint-eviction-controller.
func evictors(f *analysis.Finding) (subjects []timeline.Subject) {
	if f.Details.Int("evicted") == 0 {
		return nil
	}
	for _, name := range []string{"node-controller", "taint-eviction-controller"} {
		subjects = append(subjects, timeline.Subject{
			User: "system:serviceaccount:kube-system:" + name, Resource: "pods", Exact: true, Writes: true,
		})
	}
	return subjects
}

// silentNodes returns the nodes whose beats the finding says were missing, failed
// or went elsewhere.
func silentNodes(f *analysis.Finding) map[string]bool {
	nodes := map[string]bool{}
	names, _ := f.Details["nodes"].([]string) // marks do not name all of them
	for _, name := range names {
		nodes[name] = true
	}
	for _, m := range f.Marks {
		if m.Label != "" && (m.Kind == silence || m.Kind == failingBeats || m.Kind == timeElsewhere) {
			nodes[m.Label] = true
		}
	}
	return nodes
}

// silences returns the silences of nodes. One that lasts until last, the end of
// the log, is open.
func silences(f *analysis.Finding, last audit.Time) (all []timeline.Silence) {
	for _, m := range f.Marks {
		name := m.Label
		if name == "" {
			name = f.Subject.Node
		}
		if m.Kind == silence && m.To > m.From && name != "" {
			all = append(all, timeline.Silence{Node: name, From: m.From, To: m.To, Open: m.To >= last})
		}
	}
	return all
}
