package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/kaudit/kaudit/audit"
)

// A stand-in is a shard for the requests of one log's httplog lines. They stand in for
// audit events if the log has none, or none of the ends of requests, and if no other log
// has the same requests. That is known only when everything is read, in Settle.
//
// Sessions (connections that were taken over) have stand-ins of their own: if audit
// events tell who began them, nothing but their ends is taken from httplog, by audit ID
// (see Facts.OwnEnd).

// sessionsOf returns the name of the stand-in for the sessions of a log.
func sessionsOf(log string) string { return log + "\n" }

// observeOwn takes in a line of an API server's or kubelet's own log: a request of httplog
// or another line that is of interest.
func (s *Shard) observeOwn(e *audit.Event, selected bool) {
	if e.Origin == audit.OriginLine {
		if selected {
			s.facts.Own.line(e)
		}
		return
	}
	s.facts.Own.request(e)
	if s.facts.LogEnds(e.Log) {
		s.dropStandIns(e.Log)
		return
	}
	name := e.Log
	if e.Code == 101 {
		name = sessionsOf(name)
	}
	if s.standIns == nil {
		s.standIns = map[string]*Shard{}
	}
	standIn := s.standIns[name]
	if standIn == nil {
		standIn = NewShard(s.analyzers)
		s.standIns[name] = standIn
	}
	standIn.take(e, selected)
	standIn.facts.HTTPLog++
}

// dropStandIns forgets the requests of a log's httplog: its audit events have the ends.
func (s *Shard) dropStandIns(log string) {
	delete(s.standIns, log)
	delete(s.standIns, sessionsOf(log))
}

// mergeStandIns takes in the stand-ins of another shard.
func (s *Shard) mergeStandIns(o *Shard) {
	for log, theirs := range o.standIns {
		if mine := s.standIns[log]; mine != nil {
			mine.Merge(theirs)
			continue
		}
		if s.standIns == nil {
			s.standIns = map[string]*Shard{}
		}
		s.standIns[log] = theirs
	}
	for log, l := range s.facts.Logs {
		if l.Ended {
			s.dropStandIns(log)
		}
	}
}

// Settle must be called once, after everything is read and merged and before Findings. It
// decides which requests of httplog stand in for missing audit events; none of them count
// before. It also removes times set by wrong clocks from the log's span.
func (s *Shard) Settle() {
	var candidates []string
	for _, log := range s.facts.ownLogs() {
		any := s.standIns[log] != nil || s.standIns[sessionsOf(log)] != nil
		if any && !s.facts.LogEnds(log) && s.facts.toldBy(log) == "" {
			candidates = append(candidates, log)
		}
	}
	s.facts.Own.StoodIn = s.facts.Own.apart(candidates)
	var count []*Shard
	for _, log := range s.facts.Own.StoodIn {
		if s.facts.Logs[log] != nil {
			s.facts.Own.Filled = append(s.facts.Own.Filled, log)
		}
		if standIn := s.standIns[log]; standIn != nil {
			count = append(count, standIn)
		}
		if standIn := s.standIns[sessionsOf(log)]; standIn != nil && !s.facts.begun(log) {
			count = append(count, standIn)
		}
	}
	s.standIns = nil
	for _, standIn := range count { // not before: a merge changes the facts that are asked above
		s.Merge(standIn)
	}
	s.facts.leaveStrays()
}

// begun reports whether audit events have the beginnings of sessions whose ends a log of
// httplog has.
func (f *Facts) begun(log string) bool {
	own := f.Own.Requests[log]
	for _, l := range f.Logs {
		if len(own.Sessions.shared(&l.Begun)) > 0 {
			return true
		}
	}
	return false
}

// sessionsTold reports whether any httplog has the ends of sessions whose beginnings are
// in audit events.
func (f *Facts) sessionsTold() bool { return slices.ContainsFunc(f.ownLogs(), f.begun) }

// apart returns, sorted, those of the logs that are neither a copy nor a part of another
// of them, as the same log is that was collected in another way.
func (f *ownFacts) apart(logs []string) []string {
	slices.SortStableFunc(logs, func(a, b string) int { return cmp.Compare(f.Requests[b].N, f.Requests[a].N) })
	var apart []string
	for _, log := range logs {
		if !slices.ContainsFunc(apart, func(bigger string) bool { return f.Requests[log].partOf(f.Requests[bigger]) }) {
			apart = append(apart, log)
		}
	}
	slices.Sort(apart)
	return apart
}

func (s *Shard) saveStandIns() (map[string]json.RawMessage, error) {
	saved := map[string]json.RawMessage{}
	for log, standIn := range s.standIns {
		raw, err := json.Marshal(standIn)
		if err != nil {
			return nil, err
		}
		saved[log] = raw
	}
	return saved, nil
}

func (s *Shard) readStandIns(saved map[string]json.RawMessage) error {
	for log, raw := range saved {
		standIn := NewShard(s.analyzers)
		if err := json.Unmarshal(raw, standIn); err != nil {
			return err
		}
		if s.standIns == nil {
			s.standIns = map[string]*Shard{}
		}
		s.standIns[log] = standIn
	}
	return nil
}

// near is how far apart two logs may lie that count as of the same time.
const near = time.Minute

// toldBy returns the audit log that has the same requests as a log of httplog, or "": one
// that shares ends of requests or, failing that, beginnings. If that can't be known, since
// httplog has no audit IDs (before 1.20) or the samples could not share any, it is one of
// the same time: nobody collects the own log of one API server and the audit log of
// another.
func (f *Facts) toldBy(log string) string {
	if name, _ := f.twin(log); name != "" {
		return name
	}
	own := f.Own.Requests[log]
	clock := f.clockOf(log)
	first, last := own.Span.First, own.Span.Last
	if own.Guessed > 0 {
		first, last = clock.right(first), clock.right(last)
	}
	same := ""
	for _, name := range f.LogNames() {
		l := f.Logs[name]
		if !l.Ended {
			continue
		}
		if len(own.IDs.shared(&l.Taken)) > 0 {
			return name
		}
		if own.IDs.sharable(&l.IDs) == 0 && same == "" && first <= l.Span.Last.Add(near) && l.Span.First.Add(-near) <= last {
			same = name
		}
	}
	return same
}
