package endpointflap

import (
	"encoding/json"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Slice is what is known of an EndpointSlice of one name.
type Slice struct {
	Seen    tally.Span `json:"seen"`              // writes that show that it was there
	Created bool       `json:"created,omitempty"` // the first of them made it
}

// Plus returns what is known of both.
func (s Slice) Plus(o Slice) Slice {
	s.Seen.Merge(o.Seen)
	s.Created = s.Created || o.Created
	return s
}

// sliceKey returns the key of the slice's Service: by what its body says, or
// else by its name. A slice that is created under a name of the server's making
// and without a body is known by its namespace alone.
func sliceKey(e *audit.Event) analysis.Key {
	if len(e.Name) > 0 {
		return analysis.Key{Namespace: e.Namespace, Name: serviceOf(analysis.NameOf(e.Name))}
	}
	if service, _ := sliceBody(e); service != "" {
		return analysis.Key{Namespace: e.Namespace, Name: service}
	}
	return analysis.Key{Kind: kindUnnamed, Namespace: e.Namespace}
}

// selectedService returns the Service whose slices, all of them, a deletecollection is of. It
// is empty if the selector says anything else.
func selectedService(e *audit.Event) string {
	if e.Resource != resSlices {
		return ""
	}
	service, found := strings.CutPrefix(string(e.Param("labelSelector")), labelService+"=")
	if service = strings.TrimPrefix(service, "="); !found || strings.ContainsAny(service, ",() ") {
		return ""
	}
	return service
}

// serviceOf returns the Service of a slice: controllers name slices after it,
// with a dash and five random letters or digits.
func serviceOf(slice string) string {
	const random = 5
	at := len(slice) - random - 1
	if at < 1 || slice[at] != '-' {
		return slice
	}
	for _, c := range slice[at+1:] {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return slice
		}
	}
	return slice[:at]
}

// labelService is the label that ties a slice to its Service.
const labelService = "kubernetes.io/service-name"

// sliceBody returns the Service and the name of a slice that is created with
// a body in the log.
func sliceBody(e *audit.Event) (service, name string) {
	if e.Level < audit.LevelRequest {
		return "", ""
	}
	full, err := e.Full()
	if err != nil {
		return "", ""
	}
	var body struct {
		Metadata struct {
			Name            string            `json:"name"`
			GenerateName    string            `json:"generateName"`
			Labels          map[string]string `json:"labels"`
			OwnerReferences []struct{ Kind, Name string }
		} `json:"metadata"`
	}
	if full.RequestObject != nil {
		_ = json.Unmarshal(full.RequestObject.Raw, &body) // what it can't tell stays empty
	}
	if full.ResponseObject != nil {
		_ = json.Unmarshal(full.ResponseObject.Raw, &body)
	}
	meta := &body.Metadata
	name, service = meta.Name, meta.Labels[labelService]
	for _, owner := range meta.OwnerReferences {
		if service == "" && owner.Kind == "Service" {
			service = owner.Name
		}
	}
	if service == "" {
		service = strings.TrimSuffix(meta.GenerateName, "-")
	}
	return service, name
}

// observeSlice takes in a write of a slice. One without a name counts by its actor alone.
func (s *State) observeSlice(e *audit.Event) {
	if e.Verb == audit.VerbDeleteCollection {
		m := newMove(e)
		m.IsSlice = true
		s.sliceDeleted(m)
		return
	}
	name := analysis.NameOf(e.Name)
	if name == "" {
		service, made := sliceBody(e)
		if service == "" {
			if creations := s.Unnamed.At(e.Actor().String()); creations != nil {
				creations.Add(e.Began(), e.At)
			}
			return
		}
		name = made
	}
	deletes := e.Verb == audit.VerbDelete
	if one := s.name(name); one != nil && !deletes {
		one.Seen.Add(e.Began())
		one.Created = one.Created || creates(e)
	}
	if n := s.SliceWriters.At(e.Actor().String()); n != nil && !deletes {
		*n++
	}
	if !deletes && !creates(e) {
		return
	}
	m := newMove(e)
	m.IsSlice, m.Slice = true, strings.Clone(name)
	if deletes {
		s.sliceDeleted(m)
	} else {
		s.Slices.created(m)
	}
}

func (s *State) sliceDeleted(m Move) {
	s.Slices.deleted(m)
	if !m.byKeeper() {
		s.Cleared.Add(m.From)
	}
}

// name returns what is known of the slice, or nil.
func (s *State) name(name string) *Slice {
	if name == "" {
		return nil
	}
	return s.Names.At(name)
}
