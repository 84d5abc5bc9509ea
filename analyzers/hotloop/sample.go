package hotloop

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Sample keeps the requests with the smallest hashes: all of them up to its
// cap, so that whatever is looked for can be seen request by request.
type Sample struct {
	lines []line
	below uint64 // hashes from here on are dropped; 0 if none were
	cap   int
}

// A line is what is kept of a request, some 290 bytes.
type line struct {
	tally.Late
	hash   uint64
	object uint64 // objectHash
	agent  audit.Sym
	ip     audit.Sym

	// Of a write: the version that the object had after it, or before it where the
	// event does not have the object, and what was asked for (saidBy). 0 is not known.
	version, said uint64
}

// objectHash names an object within its resource.
func objectHash(e *audit.Event) uint64 {
	return tally.Mix(tally.Hash(e.Namespace.String()), tally.HashBytes(e.Name))
}

// conflictShift makes eight conflicts as likely to be kept as one other write:
// they tell more.
const conflictShift = 3

// hashOf chooses requests by the microsecond in which they began, which costs
// next to nothing and is as good as any, unless there are whole seconds only.
func hashOf(e *audit.Event) uint64 {
	hash := tally.Mix(uint64(e.Began()), sampleSeed)
	if e.Coarse {
		hash = tally.Mix(hash, tally.HashBytes(e.AuditID))
	}
	if e.Code == 409 {
		hash >>= conflictShift
	}
	return hash
}

// sampleSeed keeps the choice apart from other hashes.
const sampleSeed = 0x68_6f_74_6c_6f_6f_70

// whole reports whether all requests are kept.
func (s *Sample) whole() bool { return s.below == 0 }

// drops reports whether a request with this hash is not to be kept.
func (s *Sample) drops(hash uint64) bool { return s.below != 0 && hash >= s.below }

// add keeps a request, and reports whether there are a quarter more than the
// cap: cutting is then rare.
func (s *Sample) add(e *audit.Event, hash, object uint64) (over bool) {
	if n := len(s.lines); n == cap(s.lines) {
		s.lines = slices.Grow(s.lines, min(max(1, n), s.cap+s.cap/4-n)) // no more than there can be
	}
	s.lines = append(s.lines, line{hash: hash, object: object, agent: e.UserAgent, ip: e.ClientIP()})
	last := &s.lines[len(s.lines)-1]
	last.Set(e)
	if e.IsWrite() && e.Wrote() { // else nobody asks
		last.version, last.said = analysis.VersionOf(e), saidBy(e)
	}
	return len(s.lines) >= s.cap+s.cap/4
}

// cut drops what is more than the cap.
func (s *Sample) cut() {
	if len(s.lines) <= s.cap {
		return
	}
	hashes := make([]uint64, len(s.lines))
	for i := range s.lines {
		hashes[i] = s.lines[i].hash
	}
	slices.Sort(hashes)
	s.lower(hashes[s.cap])
}

// lower drops lines from a hash on, for good.
func (s *Sample) lower(below uint64) {
	if below != 0 && (s.below == 0 || below < s.below) {
		s.below = below
	}
	if s.below == 0 {
		return
	}
	n := len(s.lines)
	for i := 0; i < n; { // the last takes the place of one that goes: lines are large, and in no order
		if s.lines[i].hash < s.below {
			i++
			continue
		}
		n--
		s.lines[i] = s.lines[n]
	}
	clear(s.lines[n:])
	s.lines = s.lines[:n]
}

// savedSample is a sample's serial form.
type savedSample struct {
	Below uint64      `json:"below,omitempty"`
	Lines []savedLine `json:"lines,omitempty"`
}

type savedLine struct {
	Hash   uint64      `json:"hash"`
	Object uint64      `json:"object"`
	Agent  audit.Sym   `json:"agent,omitzero"`
	IP     audit.Sym   `json:"ip,omitzero"`
	Line   *tally.Late `json:"line"`

	Version uint64 `json:"version,omitempty"`
	Said    uint64 `json:"said,omitempty"`
}

// MarshalJSON writes the lines in order of their hashes.
func (s *Sample) MarshalJSON() ([]byte, error) {
	saved := savedSample{Below: s.below}
	for i := range s.lines {
		l := &s.lines[i]
		saved.Lines = append(saved.Lines, savedLine{l.hash, l.object, l.agent, l.ip, &l.Late, l.version, l.said})
	}
	slices.SortFunc(saved.Lines, func(a, b savedLine) int {
		return cmp.Or(cmp.Compare(a.Hash, b.Hash), a.Line.Compare(b.Line))
	})
	return json.Marshal(saved)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sample) UnmarshalJSON(raw []byte) error {
	var saved savedSample
	if err := json.Unmarshal(raw, &saved); err != nil {
		return err
	}
	s.below, s.lines = saved.Below, nil
	for _, l := range saved.Lines {
		s.lines = append(s.lines, line{*l.Line, l.Hash, l.Object, l.Agent, l.IP, l.Version, l.Said})
	}
	return nil
}
