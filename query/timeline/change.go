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

// noise are fields that every write changes, or that repeat what others say.
var noise = []string{
	"apiVersion", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.uid",
	"metadata.creationTimestamp", "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration", "status.observedGeneration",
}

// fields returns the values of an object's fields by their paths, or nil if
// the body is no object.
func fields(body json.RawMessage) map[string]string {
	var object map[string]any
	if len(body) == 0 || json.Unmarshal(body, &object) != nil {
		return nil
	}
	all := map[string]string{}
	flatten(all, "", object)
	return all
}

// noiseEnds are the ends of paths of fields that say when another field changed, or
// that repeat the name of a list's item.
var noiseEnds = []string{
	".lastTransitionTime", ".lastUpdateTime", ".lastProbeTime", ".lastHeartbeatTime", "].type", "].name", "].key", "].message", "].reason",
}

func flatten(all map[string]string, path string, v any) {
	if slices.ContainsFunc(noiseEnds, func(n string) bool { return strings.HasSuffix(path, n) }) {
		return
	}
	if slices.ContainsFunc(noise, func(n string) bool { return path == n || strings.HasPrefix(path, n+".") }) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(all, join(path, name), inner)
		}
	case []any:
		for i, inner := range v {
			flatten(all, join(path, item(inner, i)), inner)
		}
	default:
		all[path] = show(path, v)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// item names an item of a list: by what tells it apart in Kubernetes' lists,
// or by its place.
func item(v any, place int) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"name", "type", "key", "ip"} {
			if name, ok := m[key].(string); ok {
				return "[" + name + "]"
			}
		}
	}
	return fmt.Sprintf("[%d]", place)
}

// plainFields are the fields whose texts may be shown. Other texts may be secret,
// such as variables of the environment and the data of a ConfigMap or Secret.
var plainFields = []string{
	"kind", "image", "phase", "status", "reason", "type", "nodeName", "effect", "key", "restartPolicy", "holderIdentity",
	"renewTime", "acquireTime", "restartedAt", "ip", "clusterIP", "protocol", "deletionTimestamp",
}

// show writes a value: numbers and booleans as they are, and texts with hidden
// before them unless they are of plainFields.
func show(path string, v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool, float64:
		return fmt.Sprint(v)
	case string:
		last := path[strings.LastIndexByte(path, '.')+1:]
		last = last[strings.LastIndexByte(last, '/')+1:]
		if slices.Contains(plainFields, last) && !strings.HasPrefix(path, "data.") && !strings.HasPrefix(path, "stringData.") {
			return v
		}
		return hidden + v
	}
	return "(more)"
}

// hidden begins a text that may be compared but not shown.
const hidden = "\x00"

// plain returns a value as a reader may see it.
func plain(value string) string {
	if strings.HasPrefix(value, hidden) {
		return "(text)"
	}
	return value
}
