package analysistest

import (
	"encoding/json"

	"github.com/kaudit/kaudit/audit"
)

// A wireEvent is an audit event as the API server writes it: the same fields
// in the same order, so that cases run through the decoder as logs do.
type wireEvent struct {
	Kind             string            `json:"kind"`
	APIVersion       string            `json:"apiVersion"`
	Level            string            `json:"level"`
	AuditID          string            `json:"auditID"`
	Stage            audit.Stage       `json:"stage"`
	RequestURI       string            `json:"requestURI"`
	Verb             string            `json:"verb"`
	User             wireUser          `json:"user"`
	ImpersonatedUser *wireUser         `json:"impersonatedUser,omitempty"`
	SourceIPs        []string          `json:"sourceIPs,omitempty"`
	UserAgent        string            `json:"userAgent,omitempty"`
	ObjectRef        *wireObject       `json:"objectRef,omitempty"`
	ResponseStatus   *wireStatus       `json:"responseStatus,omitempty"`
	RequestObject    json.RawMessage   `json:"requestObject,omitempty"`
	ResponseObject   json.RawMessage   `json:"responseObject,omitempty"`
	Received         audit.Time        `json:"requestReceivedTimestamp"`
	At               audit.Time        `json:"stageTimestamp"`
	Annotations      map[string]string `json:"annotations,omitempty"`
}

type wireUser struct {
	Username string   `json:"username,omitempty"`
	Groups   []string `json:"groups,omitempty"`
}

type wireObject struct {
	Resource        string `json:"resource,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	APIGroup        string `json:"apiGroup,omitempty"`
	APIVersion      string `json:"apiVersion,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
}

type wireStatus struct {
	Metadata struct{} `json:"metadata"`
	Status   string   `json:"status,omitempty"`
	Message  string   `json:"message,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Code     int      `json:"code"`
}

// userOf returns a user with the groups that the API server's authenticators
// give it.
func userOf(name string) wireUser {
	if name == "" {
		return wireUser{}
	}
	return wireUser{Username: name, Groups: groupsOf(name)}
}
