package parser

// openResource opens the scopes of a resource of OpenTelemetry. The resource's
// attributes, which name the node, stand beside them as a list.
func openResource(d *Decoder, t text, at place) bool {
	if resource, ok := member(t.data, 0, "resource"); ok && t.data[resource.start] == '{' {
		if list, ok := member(t.data, resource.start, "attributes"); ok && t.data[list.start] == '[' {
			t.label = attribute(t.data, list, "k8s.node.name", "host.name", "k8s.pod.name", "kubernetes.host")
		}
	}
	d.follow(&t, at, []string{"[]"})
	return true
}

// attribute returns the text of the first of the names that a list of
// {"key": NAME, "value": {"stringValue": TEXT}} has.
func attribute(b []byte, list place, names ...string) []byte {
	for _, name := range names {
		for _, pair := range elements(b, list.start) {
			if b[pair.start] != '{' {
				continue
			}
			key, ok := member(b, pair.start, "key")
			if !ok || string(scalar(b, key)) != name {
				continue
			}
			value, ok := member(b, pair.start, "value")
			if !ok || b[value.start] != '{' {
				continue
			}
			for kind, text := range membersOf(b, value.start) {
				if k := string(kind); k == "stringValue" || k == "string_value" {
					return scalar(b, text)
				}
			}
		}
	}
	return nil
}
