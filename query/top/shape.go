package top

import (
	"bytes"

	"github.com/kaudit/kaudit/audit"
)

// shape writes the URI with what is different in each request replaced:
// "/api/v1/namespaces/{namespace}/pods/{name}/log".
func shape(b []byte, e *audit.Event) []byte {
	path, _, _ := bytes.Cut(e.URI, []byte("?"))
	if e.Resource == (audit.Sym{}) {
		return pathShape(b, path)
	}
	if e.Group == (audit.Sym{}) {
		b = append(b, "/api/"...)
	} else {
		b = append(append(append(b, "/apis/"...), e.Group.String()...), '/')
	}
	b = append(b, e.Version.String()...)
	if e.Namespace != (audit.Sym{}) && e.Resource.String() != "namespaces" {
		b = append(b, "/namespaces/{namespace}"...)
	}
	b = append(append(b, '/'), e.Resource.String()...)
	if named(path, e) {
		b = append(b, "/{name}"...)
	}
	if e.Subresource != (audit.Sym{}) {
		b = append(append(b, '/'), e.Subresource.String()...)
	}
	return b
}

// named reports whether the URI has the object's name: the event of a create
// has a name that the URI has not.
func named(path []byte, e *audit.Event) bool {
	if len(e.Name) == 0 {
		return false
	}
	tail := []byte("/" + e.Resource.String())
	return !bytes.HasSuffix(path, tail)
}

// maxSegments is how many segments of a path outside the API are kept, since clients
// may send any path.
const maxSegments = 6

// pathShape replaces the segments of a path that look like ids.
func pathShape(b, path []byte) []byte {
	for n := 0; len(path) > 0; n++ {
		var segment []byte
		segment, path, _ = bytes.Cut(bytes.TrimPrefix(path, []byte("/")), []byte("/"))
		switch {
		case n == maxSegments:
			return append(b, "/..."...)
		case isID(segment):
			b = append(b, "/{id}"...)
		default:
			b = append(append(b, '/'), segment...)
		}
	}
	return b
}

// isID reports whether a segment is a number, or long and of hexadecimal
// digits and dashes, one of them a decimal one.
func isID(segment []byte) bool {
	digits, letters := 0, 0
	for _, c := range segment {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'f', 'A' <= c && c <= 'F', c == '-':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && (letters == 0 || digits+letters >= 8)
}
