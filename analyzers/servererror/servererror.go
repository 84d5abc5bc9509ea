// Package servererror finds requests that fail because something that the API
// server needs does not serve it: a webhook, the conversion of a custom resource,
// an aggregated API, etcd, the key of what is encrypted.
//
// A state holds the failures of one cause: of one webhook, of one resource that
// can't be converted, of one API group that nobody serves.
package servererror

import (
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optFailures = "failures"
	optWindow   = "window"
	optLasting  = "lasting"
	optLeast    = "least"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "server-error",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optFailures, Default: 10, Unit: "requests", Doc: "The fewest failures within the window that are a warning: controllers back off, and retry less and less often."},
			{Name: optWindow, Default: 10 * time.Minute, Least: time.Minute, Doc: "The window in which they are counted: a controller's backoff ends at 16 minutes."},
			{Name: optLasting, Default: 30 * time.Second, Doc: "Failures that are over sooner are information: a pod was restarted."},
			{Name: optLeast, Default: 3, Unit: "requests", Doc: "The fewest failures to report at all."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}},
		Wants: []audit.Class{
			audit.Class5xx | audit.ClassComplete | audit.ClassShort | audit.ClassResource,
			audit.ClassWrote | audit.ClassNamed | audit.ClassWhole,
		},
		RowKeys: []audit.Class{audit.ClassWrote},
		Keys:    keys,
		New:     func() analysis.State { return newState() },
		Group:   group,
	}
}

// The kinds of states and of findings: details.kind.
var (
	kindWebhook    = audit.Intern("webhook")
	kindPlugin     = audit.Intern("plugin")
	kindConversion = audit.Intern("conversion")
	kindAggregated = audit.Intern("aggregated")
	kindStorage    = audit.Intern("storage")
	kindEncryption = audit.Intern("encryption")
	kindError      = audit.Intern("error")
)

// keys tells failures apart by what did not serve: one webhook, whatever it was
// asked about; all of etcd; else what was asked for.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	if e.Wrote() {
		if changes(e) {
			keys = append(keys, analysis.Key{Kind: kindChange})
		}
		return keys
	}
	kind, name := causeOf(e)
	switch kind {
	case audit.Sym{}:
		return keys
	case kindWebhook, kindPlugin:
		return append(keys, analysis.Key{Kind: kind, Name: analysis.NameOf(name)})
	case kindStorage:
		return append(keys, analysis.Key{Kind: kind})
	case kindAggregated:
		return append(keys, analysis.Key{Kind: kind, Group: e.Group})
	}
	return append(keys, analysis.Key{Kind: kind, Group: e.Group, Resource: e.Resource})
}
