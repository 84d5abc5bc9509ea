package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	authnv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	kjson "sigs.k8s.io/json"

	"github.com/kaudit/kaudit/audit"
)

// reference decodes with the API server's own types and Kubernetes' own JSON:
// keys are case-sensitive and the last of two equal keys wins. It is what an
// event means; it is slow, and asked only where fast is unsure or by
// --strict-decode.
type reference struct{}

// A record is an event of any version. Its own fields hide those of Event by
// the same key.
type record struct {
	auditv1.Event `json:",inline"`

	Received stamp `json:"requestReceivedTimestamp"`
	At       stamp `json:"stageTimestamp"`
	legacy
}

// release has nothing to do: each event has memory of its own.
func (reference) release() {}

func (reference) decode(raw []byte, e *audit.Event, syms *audit.Syms) verdict {
	e.Reset()
	var rec record
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &rec); err != nil {
		return refusal(raw, err)
	}
	if first := bytes.TrimLeft(raw, " \t\r\n"); first[0] != '{' {
		return foreign // null decodes into anything
	}
	rec.fill(e, syms)
	if !isEvent([]byte(rec.Kind), []byte(rec.APIVersion), e) {
		return foreign
	}
	if !settleTime(e) {
		return malformed
	}
	e.Raw = raw
	return decoded
}

// fill copies what audit.Event holds of rec into e.
func (rec *record) fill(e *audit.Event, syms *audit.Syms) {
	in := interner{syms}
	e.Level = rec.level()
	e.Stage = audit.ParseStage([]byte(rec.Stage))
	e.AuditID = view(rec.AuditID)
	e.URI = view(rec.RequestURI)
	e.Verb = in.sym(rec.Verb)
	in.users(e, &rec.User, rec.ImpersonatedUser)
	for _, ip := range rec.SourceIPs {
		e.SourceIPs = append(e.SourceIPs, in.sym(ip))
	}
	e.UserAgent = in.sym(rec.UserAgent)
	if rec.ObjectRef != nil {
		in.object(e, rec.ObjectRef)
	}
	if rec.ResponseStatus != nil {
		in.status(e, rec.ResponseStatus)
	}
	e.Received, e.At, e.Coarse = rec.times()
	for _, key := range slices.Sorted(maps.Keys(rec.Annotations)) {
		e.Annotations = append(e.Annotations, audit.Annotation{Key: in.sym(key), Value: view(rec.Annotations[key])})
	}
}

// An interner fills the parts of an event that hold names.
type interner struct{ syms *audit.Syms }

func (in interner) sym(s string) audit.Sym { return in.syms.Bytes([]byte(s)) }

func (in interner) users(e *audit.Event, user, as *authnv1.UserInfo) {
	e.User = in.sym(user.Username)
	for _, group := range user.Groups {
		e.Groups = append(e.Groups, in.sym(group))
	}
	if as != nil {
		e.As = in.sym(as.Username)
	}
}

func (in interner) object(e *audit.Event, ref *auditv1.ObjectReference) {
	group, version := groupVersion(ref.APIGroup, ref.APIVersion)
	e.Group, e.Version = in.sym(group), in.sym(version)
	e.Resource, e.Subresource = in.sym(ref.Resource), in.sym(ref.Subresource)
	e.Namespace = in.sym(ref.Namespace)
	e.Name, e.ObjectRV = view(ref.Name), view(ref.ResourceVersion)
}

func (in interner) status(e *audit.Event, status *metav1.Status) {
	e.Code = int(status.Code)
	e.Reason = in.sym(string(status.Reason))
	e.Message = view(status.Message)
}

func view[S ~string](s S) audit.View {
	if s == "" {
		return nil
	}
	return audit.View(s)
}

// refusal says why raw, which failed to decode with err, is no event.
func refusal(raw []byte, err error) verdict {
	isObject := bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
	if syntax, _ := kjson.SyntaxErrorOffset(err); !syntax {
		return misfit(raw)
	}
	if isObject && endsInside(raw) {
		return truncated
	}
	if isObject || speaksOfAudit(raw) {
		return malformed
	}
	return foreign
}

// misfit tells an audit event with a field of a wrong type from JSON of
// another kind, which may use the same keys for other things.
func misfit(raw []byte) verdict {
	var head struct {
		APIVersion json.RawMessage `json:"apiVersion"`
	}
	if kjson.UnmarshalCaseSensitivePreserveInts(raw, &head) == nil && bytes.HasPrefix(head.APIVersion, []byte(`"audit.k8s.io/`)) {
		return malformed
	}
	return foreign
}

func endsInside(raw []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(raw)).Decode(&value), io.ErrUnexpectedEOF)
}

// speaksOfAudit finds the rest of an event whose beginning was torn off. Text
// has other signs than a colon behind a key: the API server itself logs
// --audit-log-version="audit.k8s.io/v1".
func speaksOfAudit(raw []byte) bool {
	for _, key := range []string{`"apiVersion":"audit.k8s.io/`, `"auditID":`, `"stageTimestamp":`} {
		if bytes.Contains(raw, []byte(key)) {
			return true
		}
	}
	return false
}
