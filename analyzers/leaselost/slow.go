package leaselost

import (
	"fmt"
	"time"

	"github.com/kaudit/kaudit/analysis"
)

// kindSlow is no loss: the lease was renewed in time, but only just.
const kindSlow = "slow"

// inARow is how many late renewals in a row are no hiccup.
const inARow = 3

// late returns from when on a renewal is late: a leader gives up after two
// thirds of the time that its lease lasts (client-go's renewDeadline is 10 s of
// 15 s), if it has not tried in vain for so long already.
func (j *judge) late() time.Duration { return j.lasts() * 2 / 3 }

// slow finds the longest row of late renewals by one client: each is followed by
// the next within the time that the lease lasts.
func (j *judge) slow() (worst []loss) {
	if j.state.N < int64(j.pass.Int(optRenewals)) {
		return nil
	}
	step := j.state.Renewed.Step()
	var row []loss
	for _, gap := range j.state.Renewed.Gaps(max(step, j.late()-2*step)) {
		l, ok := j.gapAt(gap, step)
		if !ok || !l.old.is(l.next) || l.gap() < j.late() || l.gap() >= j.lasts() || !j.selected(&l) || j.goneWithin(l.from, l.to) {
			continue
		}
		l.kind = kindSlow
		j.explain(&l)
		if l.hole || l.restarted != 0 {
			continue
		}
		if n := len(row); n > 0 && (!row[n-1].old.is(l.old) || l.from.Sub(row[n-1].to) > j.lasts()) {
			row = nil
		}
		row = append(row, l)
		if len(row) > len(worst) {
			worst = row
		}
	}
	if len(worst) < inARow {
		return nil
	}
	return worst
}

// reportSlow tells of a row of late renewals. Nothing was lost yet; what failed
// meanwhile makes it a warning.
func (j *judge) reportSlow(row []loss) {
	worst, failed := &row[0], int64(0)
	var marks []analysis.Mark
	for i := range row {
		l := &row[i]
		failed = max(failed, l.failed)
		if l.gap() > worst.gap() {
			worst = l
		}
		marks = append(marks, analysis.Mark{Kind: "late", From: l.from, To: l.to, N: 1})
	}
	f := analysis.Finding{
		Severity: analysis.Info, Confidence: analysis.Likely, Count: len(row),
		First: row[0].from, Last: row[len(row)-1].to,
		Subject: j.pass.Key.Subject(), Details: j.details(worst, nil), Evidence: worst.evidence(), Marks: analysis.Coarsen(marks),
		Title: analysis.Plain(fmt.Sprintf("%s was renewed late by %s %d times in a row, up to %s after the last renewal; it lasts %s",
			j.lease(), worst.old.who(), len(row), analysis.Short(worst.gap()), analysis.Short(j.lasts()))),
		Caveats: []string{caveatInTime},
	}
	if failed > 0 {
		f.Severity = analysis.Warning
	}
	f.Details["late"] = len(row)
	f.Subject.User, f.Subject.SourceIP, f.Subject.UserAgent = worst.old.User, worst.old.SourceIP, worst.old.UserAgent
	j.pass.Report(f)
}

const caveatInTime = "No renewal was so late that the lease was lost: it may be a holder that is short of time on a busy machine, or an API server that is slow."
