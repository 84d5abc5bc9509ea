package analysis_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// told returns n requests that ended, a second apart from a time on, as an
// audit log or as lines of httplog tell of them. ids, if not empty, begins
// their audit IDs.
func told(origin audit.Origin, log, ids string, from time.Time, n int) []audit.Event {
	var events []audit.Event
	for i := range n {
		e := audit.Event{
			Origin: origin, Source: log, Log: log, Offset: int64(i), Stage: audit.StageResponseComplete, Code: 200,
			Verb: audit.VerbGet, Resource: audit.Intern("pods"), URI: audit.View("/api/v1/pods/x"),
			At: audit.TimeOf(from.Add(time.Duration(i) * time.Second)),
		}
		e.Received = e.At.Add(-time.Millisecond)
		if ids != "" {
			e.AuditID = audit.View(fmt.Sprintf("%s-0000-4000-8000-%012d", ids, i))
		}
		events = append(events, e)
	}
	return events
}

// guessed marks the times of lines as a guess that is off by so much.
func guessed(events []audit.Event, off time.Duration) []audit.Event {
	for i := range events {
		e := &events[i]
		e.Guessed = true
		e.At, e.Received = e.At.Add(off), e.Received.Add(off)
	}
	return events
}

// begun makes requests ones that have begun.
func begun(events []audit.Event) []audit.Event {
	for i := range events {
		events[i].Stage, events[i].At = audit.StageResponseStarted, events[i].Received
	}
	return events
}

// received makes requests ones that were received.
func received(events []audit.Event) []audit.Event {
	events = begun(events)
	for i := range events {
		events[i].Stage = audit.StageRequestReceived
	}
	return events
}

// placed moves events in their log.
func placed(events []audit.Event, by int64) []audit.Event {
	for i := range events {
		events[i].Offset += by
	}
	return events
}

// sessions makes requests take their connections over.
func sessions(events []audit.Event) []audit.Event {
	for i := range events {
		events[i].Code = 101
	}
	return events
}

var standInCases = []struct {
	name   string
	events [][]audit.Event
	want   int64 // requests of httplog that stand in
}{
	{"a log without audit events", [][]audit.Event{told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30)}, 30},
	{"a log with an audit event", [][]audit.Event{
		told(audit.OriginHTTPLog, "all.log", "aaaaaaaa", noon, 30), told(audit.OriginAudit, "all.log", "bbbbbbbb", noon, 1),
	}, 0},
	{"an audit log with the same requests beside it", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 500),
	}, 0},
	{"the same, by a clock of another zone", [][]audit.Event{
		guessed(told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), -8*time.Hour), told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 500),
	}, 0},
	{"the audit log of another API server", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), told(audit.OriginAudit, "audit.log", "bbbbbbbb", noon, 500),
	}, 30},
	{"a few lines of a log, with the same requests among very many", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 4), told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 20_000),
	}, 0},
	{"requests of which an audit log beside it lacks the ends", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 4), received(told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 500)),
		told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 500)[4:],
	}, 0},
	{"a log whose audit events have no end", [][]audit.Event{
		told(audit.OriginHTTPLog, "all.log", "aaaaaaaa", noon, 30), begun(told(audit.OriginAudit, "all.log", "aaaaaaaa", noon, 30)),
	}, 30},
	{"an audit log beside it that has no end", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), begun(told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 30)),
	}, 30},
	{"sessions that audit events tell the beginning of", [][]audit.Event{
		sessions(told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30)), begun(sessions(told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 30))),
	}, 0},
	{"two copies of one log", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), told(audit.OriginHTTPLog, "copy.log", "aaaaaaaa", noon, 30),
	}, 30},
	{"a log and the beginning of it", [][]audit.Event{
		told(audit.OriginHTTPLog, "begin.log", "aaaaaaaa", noon, 300), told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 3000),
	}, 3000},
	{"logs of two API servers", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), told(audit.OriginHTTPLog, "other.log", "bbbbbbbb", noon, 30),
	}, 60},
	{"two copies of one log without audit IDs, one by a clock of another zone and year", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "", noon, 700), guessed(told(audit.OriginHTTPLog, "copy.log", "", noon, 700), 330*time.Minute-365*24*time.Hour),
	}, 700},
	{"a log without audit IDs and the beginning of it", [][]audit.Event{
		told(audit.OriginHTTPLog, "begin.log", "", noon, 300), told(audit.OriginHTTPLog, "err.log", "", noon, 3000),
	}, 3000},
	{"logs without audit IDs of two API servers that are asked the same", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "", noon, 30), told(audit.OriginHTTPLog, "other.log", "", noon.Add(7*time.Microsecond), 30),
	}, 60},
	{"lines without audit IDs, and an audit log of the same time", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "", noon, 30), told(audit.OriginAudit, "audit.log", "bbbbbbbb", noon, 500),
	}, 0},
	{"lines without audit IDs, and an audit log of another day", [][]audit.Event{
		told(audit.OriginHTTPLog, "err.log", "", noon, 30), told(audit.OriginAudit, "audit.log", "bbbbbbbb", noon.AddDate(0, 0, 1), 500),
	}, 30},
}

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

func TestRequestsOfHTTPLogStandInWhereNothingElseTellsOfThem(t *testing.T) {
	for _, c := range standInCases {
		var all []audit.Event
		for _, events := range c.events {
			all = append(all, events...)
		}
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 0))
			facts := readInPieces(t, all, rng).Facts()
			if facts.HTTPLog != c.want {
				t.Errorf("%s, read in pieces (seed %d): %d requests of httplog count, want %d", c.name, seed, facts.HTTPLog, c.want)
			}
		}
	}
}

// readInPieces deals events to shards at random, sends one through its serial
// form, and merges them.
func readInPieces(t *testing.T, events []audit.Event, rng *rand.Rand) *analysis.Shard {
	shards := []*analysis.Shard{analysis.NewShard(nil), analysis.NewShard(nil), analysis.NewShard(nil)}
	for _, i := range rng.Perm(len(events)) {
		shards[rng.IntN(len(shards))].Observe(&events[i], true)
	}
	raw, err := json.Marshal(shards[2])
	if err != nil {
		t.Fatal(err)
	}
	shards[2] = analysis.NewShard(nil)
	if err := json.Unmarshal(raw, shards[2]); err != nil {
		t.Fatal(err)
	}
	rng.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
	shards[0].Merge(shards[1])
	shards[0].Merge(shards[2])
	shards[0].Settle()
	return shards[0]
}

func TestAGuessedTimeIsSetRightByWhatTheAuditLogTells(t *testing.T) {
	line := func(log string, off time.Duration) []audit.Event {
		e := told(audit.OriginLine, log, "", noon.Add(5*time.Second), 1)
		e[0].Reason, e[0].Message = audit.LinePanic, audit.View("out of cheese")
		return guessed(e, off)
	}
	const year = 365 * 24 * time.Hour
	for _, c := range []struct {
		name   string
		events [][]audit.Event
	}{
		{"by the zone and year of requests that both tell of", [][]audit.Event{
			line("err.log", 5*time.Hour+30*time.Minute-year),
			guessed(told(audit.OriginHTTPLog, "err.log", "aaaaaaaa", noon, 30), 5*time.Hour+30*time.Minute-year),
			told(audit.OriginAudit, "audit.log", "aaaaaaaa", noon, 500),
		}},
		{"by the year of audit events in the same log", [][]audit.Event{
			line("all.log", year), told(audit.OriginAudit, "all.log", "bbbbbbbb", noon, 30),
		}},
		{"by the only zone among audit events in the same log", [][]audit.Event{
			line("all.log", year+2*time.Hour), told(audit.OriginAudit, "all.log", "bbbbbbbb", noon, 30),
		}},
		{"by the events between which it stands in a log that is long", [][]audit.Event{
			placed(line("all.log", year+2*time.Hour), 5), told(audit.OriginAudit, "all.log", "bbbbbbbb", noon, 30),
			placed(told(audit.OriginAudit, "all.log", "cccccccc", noon.Add(-20*time.Hour), 50), -1_000_000),
			placed(told(audit.OriginAudit, "all.log", "dddddddd", noon.Add(9*time.Hour), 50), 1_000_000),
		}},
		{"by the year of audit events in another log", [][]audit.Event{
			line("err.log", -year), told(audit.OriginAudit, "audit.log", "bbbbbbbb", noon, 30),
		}},
		{"by nothing, being right", [][]audit.Event{line("err.log", 0)}},
	} {
		var all []audit.Event
		for _, events := range c.events {
			all = append(all, events...)
		}
		lines, n := readInPieces(t, all, rand.New(rand.NewPCG(1, 0))).Facts().OwnLines(audit.LinePanic)
		if n != 1 || len(lines) != 1 {
			t.Fatalf("%s: %d lines, %d kept; want 1", c.name, n, len(lines))
		}
		if diff := cmp.Diff(audit.TimeOf(noon.Add(5*time.Second)), lines[0].Ref.Time); diff != "" {
			t.Errorf("%s: the time of the line (-want +got)\n%s", c.name, diff)
		}
	}
}

func TestOfTooManyLinesTheSameAreKeptHoweverTheyAreRead(t *testing.T) {
	lines := told(audit.OriginLine, "err.log", "", noon, 3000)
	for i := range lines {
		lines[i].Reason = audit.LineAborted
	}
	want, n := readInPieces(t, lines, rand.New(rand.NewPCG(0, 0))).Facts().OwnLines(audit.LineAborted)
	if n != 3000 || len(want) != 512 {
		t.Fatalf("%d lines are counted and %d kept, want 3000 and 512", n, len(want))
	}
	for seed := range uint64(3) {
		got, _ := readInPieces(t, lines, rand.New(rand.NewPCG(seed+1, 0))).Facts().OwnLines(audit.LineAborted)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d (-want +got)\n%s", seed+1, diff)
		}
	}
}
