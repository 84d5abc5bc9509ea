package parser

import "bytes"

// The functions here read members of which an Event holds nothing, but which
// must be of the type that Kubernetes gives them, or it would refuse the
// event. A key that they don't know makes them unsure.

func skipText(b []byte, i int) int {
	i = space(b, i)
	if i < len(b) && b[i] == '"' {
		return skipString(b, i+1)
	}
	if i, ok := null(b, i); ok {
		return i
	}
	return -1
}

func skipList(b []byte, i int, element func(b []byte, i int) int) int {
	if i, ok := null(b, space(b, i)); ok {
		return i
	}
	i, empty := enter(b, i, '[', ']')
	for more := !empty; more && i >= 0; {
		if i = element(b, i); i < 0 {
			return -1
		}
		i, more = comma(b, i, ']')
	}
	return i
}

// skipObject reads an object whose members value reads: it is given the key
// as it stands, and where the value begins.
func skipObject(b []byte, i int, value func(key, b []byte, i int) int) int {
	if i, ok := null(b, space(b, i)); ok {
		return i
	}
	i, empty := enter(b, i, '{', '}')
	for more := !empty; more && i >= 0; {
		after := skipKey(b, i)
		if after < 0 {
			return -1
		}
		end := bytes.LastIndexByte(b[i:after], '"')
		if i = value(b[i+1:i+end], b, after); i < 0 {
			return -1
		}
		i, more = comma(b, i, '}')
	}
	return i
}

func authenticationField(key, b []byte, i int) int {
	if string(key) == "impersonationConstraint" {
		return skipText(b, i)
	}
	return -1
}

func listMetaField(key, b []byte, i int) int {
	switch string(key) {
	case "selfLink", "resourceVersion", "continue":
		return skipText(b, i)
	}
	return -1
}

func detailsField(key, b []byte, i int) int {
	switch string(key) {
	case "name", "group", "kind", "uid":
		return skipText(b, i)
	case "causes":
		return skipList(b, i, cause)
	case "retryAfterSeconds":
		_, i = int32Value(b, i)
		return i
	}
	return -1
}

func cause(b []byte, i int) int { return skipObject(b, i, causeField) }

func causeField(key, b []byte, i int) int {
	switch string(key) {
	case "reason", "message", "field":
		return skipText(b, i)
	}
	return -1
}

// int32Value reads a whole number of at most nine digits, or null, which is 0.
func int32Value(b []byte, i int) (n, after int) {
	i = space(b, i)
	if i, ok := null(b, i); ok {
		return 0, i
	}
	start := i
	for ; i < len(b) && b[i]-'0' <= 9 && i-start < 10; i++ {
		n = n*10 + int(b[i]-'0')
	}
	// skipNumber refuses a leading zero by stopping after it.
	if i == start || i-start > 9 || skipNumber(b, start) != i {
		return 0, -1
	}
	return n, i
}
