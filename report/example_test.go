package report_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/kaudit/kaudit/report"
)

// A report that was saved with -o json is read, asked, and shown as a table.
func Example() {
	saved := `{
		"apiVersion": "kaudit/v1", "kind": "Report", "version": "v0.1.0", "partial": false,
		"input": {"events": 8389, "lines": 8391, "bytes": 7098725,
			"first": "2026-11-29T13:48:34.734856Z", "last": "2026-11-29T13:54:15.012345Z",
			"stages": {"RequestReceived": 4100, "ResponseStarted": 200, "ResponseComplete": 4089}, "levels": {"Metadata": 8389},
			"skipped": {"foreign": 2}, "refused": [{"source": "audit.log", "line": 7, "kind": "foreign", "why": "no JSON object"}],
			"sources": [{"name": "audit.log", "log": "audit.log", "format": "jsonl", "events": 8389, "lines": 8391, "bytes": 7098725}]
		},
		"findings": [{
			"id": "stuck-watch/1f6c0a9e", "analyzer": "stuck-watch", "severity": "critical", "confidence": "confirmed",
			"title": "the controller-manager re-watches services from one version", "count": 45,
			"first": "2026-11-29T13:48:58.536612Z", "last": "2026-11-29T13:54:12.855888Z",
			"subject": {"user": "system:kube-controller-manager", "resource": "services"},
			"details": {"kind": "same-rv", "resourceVersion": "376", "rounds": 45},
			"evidence": [{"source": "audit.log", "line": 812, "stage": "ResponseComplete", "time": "2026-11-29T13:49:05.544754Z"}]
		}]
	}`
	r, err := report.Read(strings.NewReader(saved))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Shown(report.Options{}) {
		fmt.Printf("%s:%d: %s rounds from resourceVersion %s\n",
			f.Evidence[0].Source, f.Evidence[0].Line, fmt.Sprint(f.Details.Int("rounds")), f.Details.Text("resourceVersion"))
	}
	fmt.Println("worst:", report.Worst(r.Findings))
	if err := report.Table(os.Stdout, r, report.Options{Width: 72, Quiet: true}); err != nil {
		fmt.Println(err)
	}

	// Output:
	// audit.log:812: 45 rounds from resourceVersion 376
	// worst: critical
	// Read        audit.log: 8389 events in 8391 lines, 7.1 MB
	// Span        2026-11-29T13:48:34Z to 2026-11-29T13:54:15Z, 5m40s
	// Stages      RequestReceived 4100, ResponseStarted 200, ResponseComplete
	//             4089
	// Levels      Metadata 8389
	// Duplicates  not looked for (--dedupe)
	// Refused     2 lines foreign, the first at audit.log:7: no JSON object
	//
	// Findings
	// SEVERITY   FINDING                                     COUNT  UTC
	// critical   stuck-watch                                    45  13:48:58
	// confirmed  the controller-manager re-watches services         13:54:12
	//            from one version                                   █·······
	//            audit.log:812
}
