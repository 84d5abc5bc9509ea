package analysistest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

func (r *request) level() string {
	switch {
	case r.attrs["level"] != "":
		return r.attrs["level"]
	case r.answer != nil:
		return audit.LevelRequestResponse.String()
	case r.request != nil:
		return audit.LevelRequest.String()
	}
	return audit.LevelMetadata.String()
}

func (r *request) id() string {
	if id := r.attrs["id"]; id != "" {
		return id
	}
	return fmt.Sprintf("00000000-0000-4000-%04d-%012d", r.n, r.line)
}

// uri returns the request's URI, its query in the order in which Go's clients
// write it.
func (r *request) uri() string {
	q := url.Values{}
	if r.verb == "watch" {
		q.Set("watch", "true")
	}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	if reads(r.verb) {
		set("resourceVersion", r.attrs["rv"])
	}
	if r.object != nil && r.object.Name != "" && isCollection(r.verb) {
		set("fieldSelector", "metadata.name="+r.object.Name)
	}
	set("fieldSelector", r.attrs["fields"])
	set("labelSelector", r.attrs["labels"])
	query := q.Encode()
	if more := r.attrs["query"]; more != "" {
		query = strings.TrimPrefix(query+"&"+more, "&")
	}
	if query == "" {
		return r.path
	}
	return r.path + "?" + query
}

func (r *request) user() wireUser {
	name := r.columns[1]
	if name == "-" || r.code == http.StatusUnauthorized {
		return wireUser{}
	}
	user := userOf(name)
	if groups := r.attrs["groups"]; groups != "" {
		user.Groups = strings.Split(groups, ",")
	}
	return user
}

// groupsOf returns the groups that the API server's authenticators give a
// user of this name.
func groupsOf(name string) []string {
	if name == "system:anonymous" {
		return []string{"system:unauthenticated"}
	}
	var groups []string
	if strings.HasPrefix(name, "system:node:") {
		groups = append(groups, "system:nodes")
	}
	if account, ok := strings.CutPrefix(name, "system:serviceaccount:"); ok {
		namespace, _, _ := strings.Cut(account, ":")
		groups = append(groups, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	return append(groups, "system:authenticated")
}

// status returns the responseStatus of a stage past RequestReceived.
func (r *request) status(stage audit.Stage) *wireStatus {
	s := &wireStatus{Code: r.code, Reason: r.attrs["reason"], Message: r.attrs["msg"]}
	if stage == audit.StagePanic {
		return &wireStatus{
			Status: "Failure", Message: "APIServer panic'd: " + r.attrs["panic"],
			Reason: "InternalError", Code: http.StatusInternalServerError,
		}
	}
	if s.Reason == "" {
		s.Reason = reasonOf(r.code, r.verb)
	}
	if s.Reason != "" {
		s.Status = "Failure"
	}
	return s
}

// reasonOf returns the reason that the API server's errors have. A 429 of
// API Priority and Fairness is plain text and has none.
func reasonOf(code int, verb string) string {
	switch code {
	case http.StatusBadRequest:
		return "BadRequest"
	case http.StatusUnauthorized:
		return "Unauthorized"
	case http.StatusForbidden:
		return "Forbidden"
	case http.StatusNotFound:
		return "NotFound"
	case http.StatusConflict:
		if verb == "create" {
			return "AlreadyExists"
		}
		return "Conflict"
	case http.StatusGone:
		return "Expired"
	case http.StatusUnprocessableEntity:
		return "Invalid"
	case http.StatusInternalServerError:
		return "InternalError"
	case http.StatusServiceUnavailable:
		return "ServiceUnavailable"
	case http.StatusGatewayTimeout:
		return "Timeout"
	}
	return ""
}

// annotations returns those of the line, and the decision of the authorizer,
// which requests refused before it do not have.
func (r *request) annotations() map[string]string {
	all := map[string]string{}
	switch r.code {
	case http.StatusUnauthorized, http.StatusTooManyRequests:
	case http.StatusForbidden:
		all["authorization.k8s.io/decision"] = "forbid"
	default:
		all["authorization.k8s.io/decision"] = "allow"
	}
	for key, value := range r.attrs {
		if name, ok := strings.CutPrefix(key, "ann."); ok {
			all[name] = value
		}
	}
	return all
}
