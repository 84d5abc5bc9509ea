package who

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
)

// An Owner is an entry of metadata.ownerReferences.
type Owner struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// is reports whether a deed was done to the owner, by name, kind and group. The
// group extensions stands for any: workloads were moved out of it.
func (o *Owner) is(d *Deed) bool {
	const old = "extensions"
	group, _, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		group = ""
	}
	return o.Name == d.Name && query.OfKind(d.Resource, o.Kind) &&
		(o.APIVersion == "" || group == d.APIGroup || group == old || d.APIGroup == old)
}

// A meta is the part of a body that tells an object's name and owners.
type meta struct {
	Metadata struct {
		Name            string  `json:"name"`
		OwnerReferences []Owner `json:"ownerReferences"`
	} `json:"metadata"`
}

// bodies are both bodies of an event. They need not be objects: a JSON patch is a
// list.
type bodies struct {
	Request  json.RawMessage `json:"requestObject"`
	Response json.RawMessage `json:"responseObject"`
}

// readMeta returns the name and the owners that the bodies tell.
func readMeta(e *audit.Event) (name string, owners []Owner) {
	var b bodies
	if e.Level < audit.LevelRequest || json.Unmarshal(e.Raw, &b) != nil {
		return "", nil
	}
	for _, body := range []json.RawMessage{b.Response, b.Request} {
		var m meta
		if len(body) == 0 || json.Unmarshal(body, &m) != nil {
			continue
		}
		if name == "" {
			name = m.Metadata.Name
		}
		if owners == nil {
			owners = m.Metadata.OwnerReferences
		}
	}
	return name, owners
}

// tellsOwners reports whether a body may tell the owners of the event's object.
func tellsOwners(e *audit.Event) bool {
	return e.Level >= audit.LevelRequest && !readsMany(e) && e.Code < 400 && bytes.Contains(e.Raw, []byte(`"ownerReferences"`))
}
