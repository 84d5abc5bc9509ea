package parser

import (
	"regexp"
	"strings"
	"sync"
)

// gathered is the path of a log in what "oc adm must-gather --
// /usr/bin/gather_audit_logs" collects: the server that wrote it, and the node
// it ran on. Source: openshift/must-gather, collection-scripts/gather_audit_logs.
var gathered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[/!])audit_logs/([^/]+)/(.+)-(?:audit|termination)[^/]*$`)
})

// origin says which server of which node wrote a log, where its path tells:
// "kube-apiserver/cp1". Of other logs it is empty.
func origin(name string) string {
	if m := gathered().FindStringSubmatch(name); m != nil {
		return m[1] + "/" + m[2]
	}
	return ""
}

// noLogs are files beside audit logs that hold none, by what their path has.
var noLogs = []struct{ path, why string }{
	{".audit_logs_listing", "a list of the files that must-gather found"},
	{"audit_logs/etcd/", "of etcd, which writes no audit events"},
	{"__MACOSX/", "what macOS keeps of a file beside it"},
}

// noLog says why a file is not looked into that nobody named.
func noLog(path string) (why string) {
	for _, n := range noLogs {
		if strings.Contains(path, n.path) {
			return n.why
		}
	}
	return ""
}
