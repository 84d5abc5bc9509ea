package incident

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// near is how far from the start or end of a watch round a deletion may lie to
// be put down to it: the controller works through what the round sent, and
// servers' clocks differ.
const near = 2 * time.Second

// deletionsAtRounds counts the cycles of a flapping object whose deletion lies
// near the start or end of a round of a stuck watch.
//
// Of a mark that stands for several, only the first deletion, or the first start and the
// last end, are known. A deletion anywhere within such a round counts, for as many as its
// mark stands for.
func deletionsAtRounds(watches []*analysis.Finding, flap *analysis.Finding) fit {
	var c fit
	for _, outage := range marks(flap, "outage") {
		c.of += outage.N
		at, coarse := atRound(watches, outage.From)
		if !at {
			continue
		}
		c.n += outage.N
		c.coarse = c.coarse || coarse || outage.N > 1
	}
	if cycles := flap.Details.Int("cycles"); cycles > 0 {
		c.n, c.of = min(c.n, cycles), cycles // a deletion that was not made good is no cycle
	}
	return c
}

// atRound reports whether t lies near the start or end of a round, or, coarse, only
// within a mark that stands for several rounds.
func atRound(watches []*analysis.Finding, t audit.Time) (at, coarse bool) {
	for _, w := range watches {
		for _, round := range marks(w, "round") {
			switch {
			case isNear(t, round.From), isNear(t, round.To):
				return true, false
			case round.N > 1 && t > round.From && t < round.To:
				at, coarse = true, true
			}
		}
	}
	return at, coarse
}

func isNear(t, edge audit.Time) bool { return edge != 0 && t.Sub(edge).Abs() <= near }

// marks returns the finding's marks of these kinds, each with an N of at least 1.
func marks(f *analysis.Finding, kinds ...string) []analysis.Mark {
	var of []analysis.Mark
	for _, m := range f.Marks {
		if slices.Contains(kinds, m.Kind) {
			m.N = max(m.N, 1)
			of = append(of, m)
		}
	}
	return of
}

// replayWords returns the words of the story about a watch that replays old deletions.
func replayWords(s *story) []string {
	watch := s.roots[0]
	version := "an old resourceVersion"
	if rv := watch.Details.Text("resourceVersion"); rv != "" {
		version = "resourceVersion " + rv
	}
	scope := watch.Subject.Resource
	if watch.Subject.Namespace != "" {
		scope += " in " + watch.Subject.Namespace
	}
	return []string{
		"{client}", client(watch),
		"{scope}", scope,
		"{version}", version,
		"{objects}", objects(s.effects),
		"{after}", strconv.Itoa(s.fit.n),
		"{cycles}", strconv.Itoa(s.fit.of),
		"{near}", near.String(),
	}
}

// objects names the first few flapping objects.
func objects(flaps []*analysis.Finding) string {
	var names []string
	for _, f := range flaps {
		names = append(names, f.Subject.Namespace+"/"+f.Subject.Name)
	}
	return analysis.FirstOf(3, names)
}

// replayTimeline tells what set the watch back, when it got stuck, when it first did
// harm, the longest outage, and when the watch was last seen stuck.
func replayTimeline(s *story) []Event {
	events := trigger(s.roots[0])
	var rounds, outages []analysis.Mark
	owner := map[analysis.Mark]string{}
	for _, w := range s.roots {
		rounds = append(rounds, marks(w, "round")...)
	}
	for _, f := range s.effects {
		for _, m := range marks(f, "outage") {
			outages = append(outages, m)
			owner[m] = f.Subject.Namespace + "/" + f.Subject.Name
		}
	}
	if len(rounds) > 0 {
		first := slices.MinFunc(rounds, byFrom)
		last := slices.MaxFunc(rounds, byTo)
		events = append(events,
			Event{first.From, "the first watch from the old version begins"},
			Event{max(last.From, last.To), "the last watch from the old version is seen to end"},
		)
	}
	if len(outages) > 0 {
		first := slices.MinFunc(outages, byFrom)
		events = append(events, Event{first.From, "the endpoints " + owner[first] + " are deleted for the first time"})
		if longest := slices.MaxFunc(outages, byLength); longest.N == 1 && longest.To > longest.From {
			events = append(events, Event{longest.From, fmt.Sprintf("the longest outage begins: %s are gone for %s",
				owner[longest], longest.To.Sub(longest.From).Round(time.Millisecond))})
		}
	}
	return events
}

// trigger tells of the last deletion before the first round, if the log has it.
func trigger(watch *analysis.Finding) []Event {
	t, err := time.Parse(time.RFC3339Nano, watch.Details.Text("triggerTime"))
	if err != nil {
		return []Event{}
	}
	what := watch.Subject.Resource
	if object := watch.Details.Text("triggerObject"); object != "" {
		what += " " + object
	}
	return []Event{{audit.TimeOf(t), fmt.Sprintf("%s deletes %s: the last deletion before the watch got stuck",
		cmp.Or(watch.Details.Text("triggerUser"), "someone"), what)}}
}

func byFrom(a, b analysis.Mark) int { return cmp.Compare(a.From, b.From) }

func byTo(a, b analysis.Mark) int { return cmp.Compare(a.To, b.To) }

func byLength(a, b analysis.Mark) int { return cmp.Compare(a.To-a.From, b.To-b.From) }
