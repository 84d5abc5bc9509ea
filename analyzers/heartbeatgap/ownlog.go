package heartbeatgap

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// pause is how long a kubelet must have been content between two rows of
// heartbeats without an answer: it tries every ten seconds.
const pause = 5 * time.Minute

// unanswered tells of heartbeats that had no answer, as the kubelet's own log
// says. An API server that never got them logs nothing.
func unanswered(p *analysis.Pass) []analysis.Finding {
	lines, _ := p.Facts.OwnLines(audit.LineNodeStatus)
	rows := map[string][]audit.Ref{}
	var findings []analysis.Finding
	for _, line := range lines {
		row := rows[line.Name]
		if len(row) > 0 && line.Ref.Time.Sub(row[len(row)-1].Time) > pause {
			findings = append(findings, unansweredRow(p, line.Name, row))
			row = nil
		}
		rows[line.Name] = append(row, line.Ref)
	}
	names := map[string]bool{}
	for name := range rows {
		names[name] = true
	}
	for _, name := range sortedNames(names) {
		findings = append(findings, unansweredRow(p, name, rows[name]))
	}
	return findings
}

func unansweredRow(p *analysis.Pass, node string, row []audit.Ref) analysis.Finding {
	first, last := row[0].Time, row[len(row)-1].Time
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Confirmed, Count: len(row),
		Subject: analysis.Subject{Node: node}, First: first, Last: last,
		Title: fmt.Sprintf("the kubelet of node %s had no answer to %s within %s, as its own log says",
			analysis.Plain(node), heartbeats(len(row)), last.Sub(first).Round(time.Second)),
		Details: analysis.Details{
			"kind": "unanswered", "pattern": "one-node", "nodes": []string{node}, "gapSeconds": last.Sub(first).Seconds(),
			"recovery": "", "markedNotReady": 0,
		},
		Evidence: analysis.Cite(row[:min(len(row), analysis.MaxEvidence)]...),
		Marks:    []analysis.Mark{{Kind: "gap", From: first, To: last, N: 1}},
	}
	if last.Sub(first) >= p.Duration(optGrace) {
		f.Severity = analysis.Warning
	}
	return f
}

func heartbeats(n int) string {
	if n == 1 {
		return "1 heartbeat"
	}
	return fmt.Sprintf("%d heartbeats", n)
}
