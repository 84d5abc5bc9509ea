package parser

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// eventFields returns the fields of an event, with numbers as they stand; none of
// what was torn.
func eventFields(event string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(event), &fields)
	return fields
}

// fieldText returns a field as a table has it: a text as it is, all else as JSON.
func fieldText(field json.RawMessage) string {
	var s string
	if json.Unmarshal(field, &s) == nil {
		return s
	}
	return string(field)
}

// slsRow writes an event as a row of the Log Service.
func slsRow(event string) string {
	row := map[string]string{"__topic__": ""}
	for name, field := range eventFields(event) {
		row[name] = fieldText(field)
	}
	b, _ := json.Marshal(row)
	return string(b)
}

// aksRow writes an event as a row of AKSAudit, with objects as such.
func aksRow(event string) string {
	row := map[string]json.RawMessage{"Type": json.RawMessage(`"AKSAudit"`)}
	from := eventFields(event)
	for name, c := range aksColumns {
		if field := from[c.field]; field != nil {
			row[name] = field
		}
	}
	b, _ := json.Marshal(row)
	return string(b)
}

// aksNames are the names of the columns of aksLine, sorted.
func aksNames() []string { return slices.Sorted(maps.Keys(aksColumns)) }

// aksLine writes an event as a row of a CSV of AKSAudit.
func aksLine(event string) string {
	from := eventFields(event)
	var row []string
	for _, name := range aksNames() {
		row = append(row, fieldText(from[aksColumns[name].field]))
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(row)
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// gkeRow writes an event as an entry of Cloud Logging, with what that keeps.
func gkeRow(event string) string {
	from := eventFields(event)
	var user struct{ Username string }
	var ref struct{ APIGroup, APIVersion, Namespace, Resource, Name, Subresource string }
	_ = json.Unmarshal(from["user"], &user)
	_ = json.Unmarshal(from["objectRef"], &ref)
	group := ref.APIGroup
	if group == "" {
		group = "core"
	}
	name := []string{group, ref.APIVersion}
	if ref.Namespace != "" {
		name = append(name, "namespaces", ref.Namespace)
	}
	for _, part := range []string{ref.Resource, ref.Name, ref.Subresource} {
		if part != "" {
			name = append(name, part)
		}
	}
	at := from["stageTimestamp"]
	if at == nil {
		at = json.RawMessage(`"2026-01-05T09:00:00Z"`)
	}
	b, _ := json.Marshal(map[string]any{
		"insertId": "x", "timestamp": at, "logName": "projects/p/logs/cloudaudit.googleapis.com%2Factivity",
		"operation": map[string]any{"id": fieldText(from["auditID"]), "first": true, "last": true},
		"protoPayload": map[string]any{
			"methodName": "io.k8s." + group + "." + ref.APIVersion + "." + ref.Resource + "." + fieldText(from["verb"]), "resourceName": strings.Join(name, "/"),
			"authenticationInfo": map[string]any{"principalEmail": user.Username},
			"requestMetadata":    map[string]any{"callerIp": "192.0.2.7", "callerSuppliedUserAgent": fieldText(from["userAgent"])},
		},
	})
	return string(b)
}
