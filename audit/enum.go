package audit

import "fmt"

// A Level says how much of a request the audit policy made the API server
// record. Levels are ordered: each records what the one below does.
type Level uint8

// The levels of audit.k8s.io. The zero Level means that the log has none.
const (
	LevelUnknown Level = iota
	LevelNone
	LevelMetadata
	LevelRequest
	LevelRequestResponse
)

var levelNames = []string{"", "None", "Metadata", "Request", "RequestResponse"}

// ParseLevel returns the level that audit.k8s.io calls s.
func ParseLevel(s []byte) Level { return Level(indexOf(levelNames, s)) }

// String returns the level as audit.k8s.io writes it.
func (l Level) String() string { return levelNames[l] }

// MarshalText writes String.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Level) UnmarshalText(b []byte) error {
	*l = ParseLevel(b)
	if *l == LevelUnknown && len(b) > 0 {
		return fmt.Errorf("unknown audit level %q", b)
	}
	return nil
}

// A Stage is the stage of a request's handling at which an event was written.
type Stage uint8

// The stages of audit.k8s.io, in the order in which a request passes them.
// Panic replaces ResponseComplete. ResponseStarted is written for long-running
// requests, and alone for requests that fail authentication.
const (
	StageUnknown Stage = iota
	StageRequestReceived
	StageResponseStarted
	StageResponseComplete
	StagePanic
)

var stageNames = []string{"", "RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"}

// ParseStage returns the stage that audit.k8s.io calls s.
func ParseStage(s []byte) Stage { return Stage(indexOf(stageNames, s)) }

// String returns the stage as audit.k8s.io writes it.
func (s Stage) String() string { return stageNames[s] }

// MarshalText writes String.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Stage) UnmarshalText(b []byte) error {
	*s = ParseStage(b)
	if *s == StageUnknown && len(b) > 0 {
		return fmt.Errorf("unknown audit stage %q", b)
	}
	return nil
}

func indexOf(names []string, s []byte) int {
	for i, name := range names {
		if string(s) == name {
			return i
		}
	}
	return 0
}
