package parser

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/kaudit/kaudit/audit"
)

// A legacy is what v1alpha1 and v1beta1 had and v1 has not, and what shippers
// move out of the way. Its fields are read only where those of v1 are missing,
// so other things by the same names do no harm.
type legacy struct {
	Metadata  json.RawMessage `json:"metadata"`
	Timestamp json.RawMessage `json:"timestamp"`
	// OpenShift's log collector overwrites level with its own, and keeps the
	// audit level in one of these: of Kubernetes' and of OpenShift's API server.
	AuditLevel     json.RawMessage `json:"k8s_audit_level"`
	OpenShiftLevel json.RawMessage `json:"openshift_audit_level"`
}

// times returns both stamps of an event, and whether they are coarse. Where
// v1's are missing it does as Kubernetes did when it converted old events: the
// stage's time is metadata.creationTimestamp, the receipt is timestamp, both
// in whole seconds. (v1beta1 of 1.8 to 1.11 has old and new ones.)
func (rec *record) times() (received, at audit.Time, coarse bool) {
	r, s := rec.Received, rec.At
	if r.time == 0 {
		r = legacyStamp(rec.Timestamp)
	}
	if s.time == 0 {
		var meta struct {
			CreationTimestamp json.RawMessage `json:"creationTimestamp"`
		}
		if kjson.UnmarshalCaseSensitivePreserveInts(rec.Metadata, &meta) == nil {
			s = legacyStamp(meta.CreationTimestamp)
		}
	}
	return r.time, s.time, r.whole || s.whole
}

func legacyStamp(b json.RawMessage) stamp {
	var s stamp
	if len(b) == 0 || json.Unmarshal(b, &s) != nil {
		return stamp{}
	}
	return s
}

func (rec *record) level() audit.Level {
	if l := audit.ParseLevel([]byte(rec.Level)); l != audit.LevelUnknown {
		return l
	}
	var name string
	if json.Unmarshal(rec.AuditLevel, &name) != nil && json.Unmarshal(rec.OpenShiftLevel, &name) != nil {
		return audit.LevelUnknown
	}
	return audit.ParseLevel([]byte(name))
}

// groupVersion splits an apiVersion that holds the group too, as v1alpha1 has
// it.
func groupVersion(group, version string) (string, string) {
	if i := strings.LastIndexByte(version, '/'); group == "" && i >= 0 {
		return version[:i], version[i+1:]
	}
	return group, version
}

// A stamp is a time as some version or shipper writes it: MicroTime, whole
// seconds, nanoseconds. Kubernetes' own type reads MicroTime alone.
type stamp struct {
	time  audit.Time
	whole bool // it has no fraction: good for a time, not for a duration
}

// UnmarshalJSON reads any RFC 3339 time. Kubernetes writes no time as null.
func (s *stamp) UnmarshalJSON(b []byte) error {
	*s = stamp{}
	if string(b) == "null" {
		return nil
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return fmt.Errorf("read time: %w", err)
	}
	if !t.IsZero() {
		*s = stamp{audit.TimeOf(t), !strings.ContainsAny(text, ".,")}
	}
	if s.time == 0 && t.Unix() == 0 {
		s.time = 1 // the epoch itself: 0 is no time, and a clock that was never set gives it
	}
	return nil
}
