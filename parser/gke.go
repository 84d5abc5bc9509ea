package parser

import (
	"encoding/json"
	"strings"

	authnv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// A gkeEntry is an entry of Google's Cloud Logging for a request to an API
// server of GKE. Of the event it keeps one time, the user's name, one address,
// and the code as gRPC has it; the path has lost its query.
type gkeEntry struct {
	Timestamp stamp             `json:"timestamp"`
	InsertID  string            `json:"insertId"`
	Labels    map[string]string `json:"labels"` // the event's annotations
	Operation struct {
		ID    string `json:"id"` // the audit ID
		First bool   `json:"first"`
		Last  bool   `json:"last"`
	} `json:"operation"`
	Payload struct {
		Method   string `json:"methodName"`   // io.k8s.core.v1.pods.create
		Resource string `json:"resourceName"` // core/v1/namespaces/shop/pods/web-0
		Auth     struct {
			Principal string `json:"principalEmail"`
		} `json:"authenticationInfo"`
		Metadata struct {
			IP    string `json:"callerIp"`
			Agent string `json:"callerSuppliedUserAgent"`
		} `json:"requestMetadata"`
		Status struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"status"`
		Request  json.RawMessage `json:"request"`
		Response json.RawMessage `json:"response"`
	} `json:"protoPayload"`
}

// openGKE opens an entry of Cloud Logging. It reports false for one of another
// service.
func openGKE(d *Decoder, t text, _ place) bool {
	var entry gkeEntry
	if json.Unmarshal(t.data, &entry) != nil || !strings.HasPrefix(entry.Payload.Method, "io.k8s.") && !strings.Contains(entry.Payload.Resource, "/") {
		return false
	}
	raw, err := json.Marshal(entry.event())
	if err != nil {
		return false
	}
	t.oneTime = true
	d.hold(t.holding(raw, 0))
	return true
}

func (g *gkeEntry) event() *auditv1.Event {
	p := &g.Payload
	e := &auditv1.Event{
		TypeMeta: metav1.TypeMeta{Kind: "Event", APIVersion: "audit.k8s.io/v1"},
		Level:    auditv1.LevelMetadata, AuditID: types.UID(g.Operation.ID), Stage: auditv1.StageResponseComplete,
		Verb: p.Method[strings.LastIndexByte(p.Method, '.')+1:], UserAgent: p.Metadata.Agent,
		User:                     authnv1.UserInfo{Username: p.Auth.Principal},
		RequestReceivedTimestamp: metav1.NewMicroTime(g.Timestamp.time.Std()), StageTimestamp: metav1.NewMicroTime(g.Timestamp.time.Std()),
		Annotations: g.Labels,
	}
	if g.Operation.First && !g.Operation.Last {
		e.Stage = auditv1.StageResponseStarted // it goes on: exec, a watch
	}
	if e.AuditID == "" {
		e.AuditID = types.UID(g.InsertID)
	}
	if p.Metadata.IP != "" {
		e.SourceIPs = []string{p.Metadata.IP}
	}
	if len(p.Request) > 0 {
		e.Level, e.RequestObject = auditv1.LevelRequest, &runtime.Unknown{Raw: p.Request}
	}
	if len(p.Response) > 0 {
		e.Level, e.ResponseObject = auditv1.LevelRequestResponse, &runtime.Unknown{Raw: p.Response}
	}
	e.RequestURI, e.ObjectRef = gkeTarget(p.Resource)
	e.ResponseStatus = g.status(e)
	return e
}

// gkeTarget returns the path and the object that a resourceName stands for:
// group, version and the path of the API behind them.
func gkeTarget(name string) (uri string, ref *auditv1.ObjectReference) {
	parts := strings.Split(name, "/")
	if len(parts) < 3 {
		return "/" + name, nil
	}
	ref = &auditv1.ObjectReference{APIGroup: parts[0], APIVersion: parts[1]}
	uri = "/apis/" + name
	if parts[0] == "core" {
		ref.APIGroup, uri = "", "/api/"+strings.TrimPrefix(name, "core/")
	}
	parts = parts[2:]
	if parts[0] == "namespaces" && len(parts) > 1 {
		ref.Namespace = parts[1]
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	for i, field := range []*string{&ref.Resource, &ref.Name, &ref.Subresource} {
		if i < len(parts) {
			*field = parts[i]
		}
	}
	return uri, ref
}

// grpcCodes are the codes of HTTP for those of gRPC, as an API server answers:
// https://google.aip.dev/193 has the pairs.
var grpcCodes = [17]int32{200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401}

// status returns the answer: the API server's own, if it is there, else what
// the code of gRPC stands for.
func (g *gkeEntry) status(e *auditv1.Event) *metav1.Status {
	var answer metav1.Status
	p := &g.Payload
	if json.Unmarshal(p.Response, &answer) == nil && answer.Code >= 100 && answer.Status != "" {
		return &metav1.Status{Code: answer.Code, Status: answer.Status, Reason: answer.Reason, Message: answer.Message}
	}
	status := &metav1.Status{Code: 500, Message: p.Status.Message}
	if p.Status.Code >= 0 && p.Status.Code < len(grpcCodes) {
		status.Code = grpcCodes[p.Status.Code]
	}
	if status.Code >= 400 {
		status.Status = metav1.StatusFailure
		return status
	}
	if ref := e.ObjectRef; ref != nil && (ref.Subresource == "exec" || ref.Subresource == "attach" || ref.Subresource == "portforward") {
		status.Code = 101 // an upgrade has no answer but this
	}
	status.Message = ""
	return status
}
