package incident

import (
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// These choose, of an analyzer's findings, those that can play a part: values of
// role.is.

// detailIs accepts findings that have one of these values in a detail.
func detailIs(name string, values ...string) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool { return slices.Contains(values, f.Details.Text(name)) }
}

// detailSet accepts findings with a detail that is a number above zero.
func detailSet(name string) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool { return f.Details.Int(name) > 0 }
}

// storm accepts findings of many clients that listed again together: with restart,
// if there is a sign that their API server stopped or started; else if there is none,
// and it is serious, for a few clients may just have moved to another server.
func storm(restart bool) func(*analysis.Finding) bool {
	return func(f *analysis.Finding) bool {
		signs := f.Details["restart"] == true || f.Details["stopped"] == true
		return f.Details.Text("kind") == "storm" && signs == restart && (signs || serious(f))
	}
}

// serious reports whether a finding is more than information.
func serious(f *analysis.Finding) bool { return f.Severity.Rank() > analysis.Info.Rank() }

// oneNode reports whether a finding is about a single node that was not heard.
func oneNode(f *analysis.Finding) bool { return f.Subject.Node != "" && f.Details["failing"] != true }

// storageFailed reports whether requests failed as they do without etcd: the API
// server said of each that its time, or etcd's, was up. Requests that never ended or
// took too long do not count: a slow handler does that too.
func storageFailed(f *analysis.Finding) bool { return serious(f) && len(marks(f, "timeout")) > 0 }

// leaseFailed reports whether a lease was lost because of errors of the server, and
// not only because a permission was missing.
func leaseFailed(f *analysis.Finding) bool {
	if f.Details.Text("cause") != "errors" {
		return false
	}
	messages := texts(f.Details["messages"])
	return len(messages) == 0 || slices.ContainsFunc(messages, func(m string) bool { return !strings.Contains(m, "forbidden") })
}

// beatsFailed reports whether nodes fell silent as they do without storage: their
// heartbeats failed, or no node was heard at all.
func beatsFailed(f *analysis.Finding) bool {
	return serious(f) && (f.Details["failing"] == true || f.Details.Text("pattern") == "all-nodes")
}

// refusesWrites reports whether what failed the API server can fail any write: a
// webhook, or etcd.
func refusesWrites(f *analysis.Finding) bool {
	return serious(f) && detailIs("kind", "webhook", "storage")(f) && !leaderless(f)
}

// leaderless reports whether etcd failed requests because it had no leader, or another
// one: etcd api/v3rpc/rpctypes. What takes longer than an election times out.
func leaderless(f *analysis.Finding) bool {
	messages := texts(f.Details["messages"])
	return serious(f) && len(messages) > 0 && detailIs("kind", "storage")(f) &&
		!slices.ContainsFunc(messages, func(m string) bool { return !strings.Contains(m, "leader") })
}

// etcdTimedOut reports whether requests failed because etcd said that its time was up.
func etcdTimedOut(f *analysis.Finding) bool { return serious(f) && f.Details.Int("etcdTimeouts") > 0 }

// hookTimedOut reports whether requests failed because a webhook took too long: more
// than went on without it.
func hookTimedOut(f *analysis.Finding) bool {
	return serious(f) && f.Details.Text("webhook") != "" && f.Details.Int("failed") > f.Details.Int("failedOpen")
}

// kubeletsRefused reports whether kubelets were refused what they say that they are
// alive with.
func kubeletsRefused(f *analysis.Finding) bool {
	agents := append(texts(f.Details["userAgents"]), f.Subject.UserAgent)
	asked := texts(f.Details["asked"])
	return serious(f) && slices.ContainsFunc(agents, func(a string) bool { return strings.HasPrefix(a, "kubelet/") }) &&
		slices.ContainsFunc([]string{"update leases", "patch nodes/status", "get nodes"}, func(beat string) bool { return slices.Contains(asked, beat) })
}

// aboutCore reports whether f is about one of these resources of the core group.
func aboutCore(f *analysis.Finding, resources ...string) bool {
	return f.Subject.APIGroup == "" && slices.Contains(resources, f.Subject.Resource)
}

// pressesItself reports whether the client that was refused made the load itself.
func pressesItself(f *analysis.Finding) bool {
	return f.Subject.User != "" && f.Details.Text("pressure") == analysis.Plain(f.Subject.User)
}

// resourceFailed reports whether requests for a resource timed out, and not because
// etcd did.
func resourceFailed(f *analysis.Finding) bool {
	return storageFailed(f) && !etcdTimedOut(f) && f.Subject.Resource != ""
}

// overloaded reports whether clients were refused for the load that somebody made, and
// not since the API server had not read what they asked for.
func overloaded(f *analysis.Finding) bool { return serious(f) && !detailIs("kind", "unready")(f) }

// unpressed reports whether clients were refused although no single client made the
// load.
func unpressed(f *analysis.Finding) bool {
	return overloaded(f) && f.Details.Int("refused") > 0 && f.Details.Text("pressure") == ""
}
