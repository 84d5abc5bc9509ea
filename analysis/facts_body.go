package analysis

import (
	"bytes"
	"strconv"

	"github.com/kaudit/kaudit/audit"
)

var (
	requestKey  = []byte(`"requestObject":{`)
	responseKey = []byte(`"responseObject":{`)
	metadataKey = []byte(`"metadata":{`)
	versionKey  = []byte(`"resourceVersion":"`)
)

// metadataRoom is within how many bytes of a body the object's own resourceVersion stands:
// kind, apiVersion, name, namespace and uid come before it.
const metadataRoom = 2048

// RequestBody returns what a client sent, as a part of the event's text that is not to be
// kept. told is false if the event does not have it.
func RequestBody(e *audit.Event) (body []byte, told bool) {
	_, body, told = bytes.Cut(e.Raw, requestKey)
	body, _, _ = bytes.Cut(body, responseKey)
	return body, told
}

// VersionOf returns the resourceVersion of an object after a write. If the event does not
// have the object, it returns the version before the write, which the client sent. It
// returns 0 if neither is known.
func VersionOf(e *audit.Event) uint64 {
	if rv, ok := versionAfter(e); ok {
		return rv
	}
	if len(e.ObjectRV) == 0 { // mostly: the error of parsing it would cost an allocation
		return 0
	}
	rv, err := strconv.ParseUint(NameOf(e.ObjectRV), 10, 64)
	if err != nil {
		return 0
	}
	return rv
}

// versionAfter returns the resourceVersion that the object had after an update or patch, if
// the event has the object. It looks at the beginning of the body only, for fields in the
// order in which the API server writes them.
func versionAfter(e *audit.Event) (rv uint64, ok bool) {
	if e.Level < audit.LevelRequestResponse {
		return 0, false
	}
	_, body, ok := bytes.Cut(e.Raw, responseKey)
	if !ok {
		return 0, false
	}
	_, metadata, ok := bytes.Cut(body[:min(len(body), metadataRoom)], metadataKey)
	if !ok {
		return 0, false
	}
	_, version, ok := bytes.Cut(metadata, versionKey)
	end := bytes.IndexByte(version, '"')
	if !ok || end < 0 {
		return 0, false
	}
	rv, err := strconv.ParseUint(NameOf(audit.View(version[:end])), 10, 64)
	return rv, err == nil
}
