package who

import (
	"encoding/json"

	"github.com/kaudit/kaudit/audit"
)

// An Owner is an entry of metadata.ownerReferences.
type Owner struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// A meta is what is read of a body.
type meta struct {
	Metadata struct {
		Name            string  `json:"name"`
		OwnerReferences []Owner `json:"ownerReferences"`
	} `json:"metadata"`
}

// bodies are both bodies of an event. A body that is no object, as a JSON
// patch is not, has nothing to read.
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
