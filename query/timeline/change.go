package timeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/query"
)

// maxChanges is how many changed fields of one event are named.
const maxChanges = 6

// A memory holds the fields of objects as they were last seen, by object and path,
// so that an update, which sends the whole object, can be compared.
type memory map[string]map[string]string

// maxMemory is how many objects are remembered. Past it all are forgotten.
const maxMemory = 1000

// writes are the verbs that change objects.
var writes = []string{"create", "update", "patch", "delete", "deletecollection"}

// changes returns what a write did to the fields of an object, as
// "spec.replicas 3 -> 5", and remembers the object.
func (m memory) changes(e *Entry) []string {
	r := e.Record
	if r.Code >= 400 || !slices.Contains(writes, r.Verb) {
		return nil
	}
	key := r.Resource + "/" + r.Namespace + "/" + r.Name
	if r.Verb == "delete" {
		delete(m, key)
		return nil
	}
	after := fields(e.After)
	if after == nil && r.Verb != "patch" {
		after = fields(e.Body)
	}
	changes := changed(e, m[key], after)
	m.learn(key, r, after)
	return changes
}

// changed returns what a write changed, given the object's fields before, nil if
// they are not known, and after.
func changed(e *Entry, before, after map[string]string) []string {
	r := e.Record
	switch {
	case r.Verb == "create":
		return nil
	case r.Verb == "patch":
		return few(sent(e.Body, before))
	case r.Subresource == "scale":
		return few(differences(nil, map[string]string{"spec.replicas": after["spec.replicas"]}))
	case isWhole(r, after) && before != nil:
		return few(differences(part(before, r.Subresource), part(after, r.Subresource)))
	}
	return nil
}

// learn remembers what a write tells of its object.
func (m memory) learn(key string, r *query.Record, after map[string]string) {
	before := m[key]
	switch {
	case isWhole(r, after):
		if len(m) >= maxMemory {
			clear(m)
		}
		m[key] = after
	case r.Subresource == "scale" && before != nil && after != nil:
		before["spec.replicas"] = after["spec.replicas"]
	default:
		delete(m, key) // the object has changed, and nothing tells how
	}
}

// isWhole reports whether fields are those of the whole object that was written.
func isWhole(r *query.Record, fields map[string]string) bool {
	return fields != nil && fields["kind"] != "Status" && fields["kind"] != "Scale" && r.Subresource != "binding" && r.Subresource != "eviction"
}

// part returns the fields that an update can change: through the status subresource
// only the status, else all but the status.
func part(object map[string]string, subresource string) map[string]string {
	fields := map[string]string{}
	for path, v := range object {
		if strings.HasPrefix(path, "status.") == (subresource == "status") {
			fields[path] = v
		}
	}
	return fields
}

// few cuts a list of changes.
func few(changes []string) []string {
	if more := len(changes) - maxChanges; more > 0 {
		return append(changes[:maxChanges:maxChanges], fmt.Sprintf("and %d more", more))
	}
	return changes
}

// differences returns the changes between two objects, by path.
func differences(before, after map[string]string) (changes []string) {
	for path, now := range after {
		if was, ok := before[path]; !ok || was != now {
			changes = append(changes, change(path, now, before))
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			changes = append(changes, path+" removed")
		}
	}
	slices.Sort(changes)
	return changes
}

// change says what a field is now, and what it was if that is known.
func change(path, now string, before map[string]string) string {
	was, ok := before[path]
	switch {
	case !ok:
		return path + " = " + plain(now)
	case strings.HasPrefix(was, hidden) && strings.HasPrefix(now, hidden):
		return path + " changed"
	}
	return path + " " + plain(was) + " -> " + plain(now)
}

// sent returns the changes that a patch sends: a merge patch is a part of the
// object, a JSON patch a list of operations. A value that the object had already is
// no change.
func sent(body json.RawMessage, before map[string]string) (changes []string) {
	var operations []struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	if json.Unmarshal(body, &operations) == nil {
		for _, o := range operations {
			path := strings.ReplaceAll(strings.TrimPrefix(o.Path, "/"), "/", ".")
			if o.Op == "remove" {
				changes = append(changes, path+" removed")
			} else {
				changes = append(changes, change(path, show(path, o.Value), before))
			}
		}
		return changes
	}
	for path, now := range fields(body) {
		if was, ok := before[path]; !ok || was != now {
			changes = append(changes, change(path, now, before))
		}
	}
	slices.Sort(changes)
	return changes
}
