package driver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/parser"
)

// An asker asks the facts what analyzers ask, twice.
type asker struct{}

func (asker) Observe(*audit.Event) {}
func (asker) Merge(analysis.State) {}

func (asker) Report(p *analysis.Pass) {
	ask := func() string {
		f, span := p.Facts, p.Facts.Span
		var said strings.Builder
		heard := 0
		for i := range manyClients {
			user := fmt.Sprint("user-", i)
			if _, known := f.ClientSpan(analysis.Client{User: audit.Intern(user), UserAgent: audit.Intern("client/v1"), SourceIP: audit.Intern("10.0.0.1")}); known {
				heard++
			}
			scope := analysis.Scope{Resource: audit.Intern("pods"), Namespace: audit.Intern(user)}
			fmt.Fprint(&said, f.WritesOf(scope), f.ChangesWithin(scope, span.First, span.Last))
		}
		_, all := f.ClientsWithin(span.First, span.Last, 3)
		fmt.Fprint(&said, heard, all, f.SharesWithin(span.First, span.Last).All, f.Starts("audit.log"), f.Holes("audit.log"))
		return said.String()
	}
	first, second := ask(), ask()
	p.Report(analysis.Finding{Title: fmt.Sprint(first == second, " ", first)})
}

// manyClients is more than facts keep of clients over time and of namespaces, and less
// than what has them drop the rest while they read.
const manyClients = 4800

// TestAnalyzersAskFactsSideBySide lets eight analyzers ask at once about more clients and
// namespaces than are kept. All must hear the same; the race detector sees whether facts
// change while they are asked.
func TestAnalyzersAskFactsSideBySide(t *testing.T) {
	var log strings.Builder
	for i := range manyClients {
		fmt.Fprintf(&log, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-%d","stage":"ResponseComplete",`+
			`"requestURI":"/api/v1/namespaces/user-%[1]d/pods/a","verb":"delete","user":{"username":"user-%[1]d"},"sourceIPs":["10.0.0.1"],"userAgent":"client/v1",`+
			`"objectRef":{"resource":"pods","namespace":"user-%[1]d","name":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},`+
			`"requestReceivedTimestamp":"2026-01-05T09:%02[2]d:%02[3]d.000000Z","stageTimestamp":"2026-01-05T09:%02[2]d:%02[3]d.500000Z"}`+"\n", i, i/60%60, i%60)
	}
	var askers []*analysis.Analyzer
	for i := range 8 {
		askers = append(askers, &analysis.Analyzer{
			Name:  fmt.Sprint("asker-", i),
			Wants: []audit.Class{audit.ClassDelete},
			Keys:  func(_ *audit.Event, keys []analysis.Key) []analysis.Key { return append(keys, analysis.Key{}) },
			New:   func() analysis.State { return asker{} },
		})
	}
	r := driver.Run(t.Context(), []*parser.Log{parser.NewLog("audit.log", strings.NewReader(log.String()))}, driver.Options{Workers: 8, Analyzers: askers})
	if len(r.Findings) != len(askers) {
		t.Fatalf("%d findings, want one of each asker", len(r.Findings))
	}
	for _, f := range r.Findings {
		if !strings.HasPrefix(f.Title, "true ") || f.Title != r.Findings[0].Title {
			t.Errorf("%s heard %.300s\nand %s %.300s", f.Analyzer, f.Title, r.Findings[0].Analyzer, r.Findings[0].Title)
		}
	}
}
