package timeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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

// flatten adds to all the values of v, which stands at path, by their paths.
func flatten(all map[string]string, path string, v any) {
	if isNoise(path) {
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

// noise are fields that every write changes, or that repeat what others say.
var noise = []string{
	"apiVersion", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.uid",
	"metadata.creationTimestamp", "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration", "status.observedGeneration",
}

// noiseEnds are the ends of paths of fields that say when another field changed, or
// that repeat the name of a list's item.
var noiseEnds = []string{
	".lastTransitionTime", ".lastUpdateTime", ".lastProbeTime", ".lastHeartbeatTime", "].type", "].name", "].key", "].message", "].reason",
}

// isNoise reports whether a field tells a reader nothing.
func isNoise(path string) bool {
	return slices.ContainsFunc(noiseEnds, func(end string) bool { return strings.HasSuffix(path, end) }) ||
		slices.ContainsFunc(noise, func(name string) bool { return path == name || strings.HasPrefix(path, name+".") })
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
