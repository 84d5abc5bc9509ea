package main

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kaudit/kaudit/report"
)

// maxRedacted is how many characters of an example are shown: enough to see
// what it is.
const maxRedacted = 200

// shownKeys are the keys whose values say what a record is and hold no secret.
// All other texts are left out: bodies, URIs, names of users and whatever a
// shipper added may be secret.
var shownKeys = map[string]bool{
	"kind": true, "apiVersion": true, "level": true, "stage": true, "verb": true, "stream": true, "logtag": true,
	"severity": true, "time": true, "ts": true, "timestamp": true, "@timestamp": true, "stageTimestamp": true,
	"requestReceivedTimestamp": true, "category": true, "caller": true, "logger": true, "latency": true, "resp": true, "operationName": true,
}

// A secret is a pattern of what may be secret, and what to show in its place.
type secret struct {
	pattern *regexp.Regexp
	by      func(match []string) string
}

// secrets are what may be secret outside of double quotes, in the order in which
// it is replaced: what other quotes hold, what follows a name such as token, the
// value of any key, users in addresses, and words that a machine may have made.
var secrets = sync.OnceValue(func() []secret {
	by := func(template string) func([]string) string {
		return func(m []string) string { return strings.ReplaceAll(template, "$1", m[1]) }
	}
	return []secret{
		{regexp.MustCompile(`([=:]\s*)'[^']*(?:'|$)`), by("$1…")},
		{regexp.MustCompile(`(^|[\s(,;\[{<>])'[^']*(?:'|$)`), by("$1'…'")},
		{regexp.MustCompile("()`[^`]*(?:`|$)"), by("`…`")},
		{regexp.MustCompile(`(?i)\b(bearer|basic)\s+[^\s"',;]+`), by("$1 …")},
		{regexp.MustCompile(`(?i)([\w.-]*(?:token|passw|passphrase|pwd|secret|credential|authorization|cookie|private|api_?key|signature)[\w.-]*(?:\s+(?:is|was)\b)?[\s=:]+)[^\s"',;&]+`), by("$1…")},
		{regexp.MustCompile(`^(\s*(?:-\s+)?[\w.-]+:\s+)[^\s"{\[].*`), by("$1…")}, // a header, a line of YAML
		{regexp.MustCompile(`([\w.-]+)=([^\s"',;&]+)`), shownValue},
		{regexp.MustCompile(`(://)[^\s/@]*@`), by("$1…@")},
		{regexp.MustCompile(`(\w):[^\s"',;/\d][^\s"',;]*`), by("$1:…")},
		{regexp.MustCompile(`()\?[^\s"]+`), by("?…")},
		{regexp.MustCompile(`()[A-Za-z0-9+/_=.-]{33,}`), by("…")},
		{regexp.MustCompile(`([\w+/-]{8,})([=:]…)?`), plainWord},
	}
})

// shownValue replaces the value of key=value unless the key is in shownKeys.
func shownValue(m []string) string {
	if shownKeys[m[1]] {
		return m[0]
	}
	return m[1] + "=…"
}

// plainWord replaces a word of letters and digits, as passwords and names of
// machines are. Keys, times and versions stay.
func plainWord(m []string) string {
	letters, digits := 0, 0
	for _, c := range m[1] {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			letters++
		}
	}
	if m[2] != "" || letters < 2 || digits == 0 {
		return m[0]
	}
	return "…"
}

// redact shows what a refused record looks like, without what may be secret. In
// double quotes it leaves keys, and the values of shownKeys.
func redact(text string) string {
	var b strings.Builder
	key := ""
	for len(text) > 0 && b.Len() < 4*maxRedacted {
		quote := strings.IndexByte(text, '"')
		if quote < 0 {
			b.WriteString(unquoted(text))
			break
		}
		before := text[:quote]
		b.WriteString(unquoted(before))
		if endsInWord(before) {
			b.WriteString("…") // the quote closes a text: from here on, in and out of quotes are unknown
			break
		}
		if name := strings.TrimRight(before, "="); name != before {
			key = name[strings.LastIndexAny(name, " \t{,")+1:] // key="value", as klog has it
		}
		literal, rest := cutLiteral(text[quote:])
		isKey := strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":")
		if isKey || shownKeys[key] || strings.HasSuffix(before, "] ") {
			b.WriteString(unquoted(literal)) // behind "] " stands a message of klog, a constant in the code
		} else {
			b.WriteString(`"…"`)
		}
		if key = ""; isKey {
			key = strings.Trim(literal, `"`)
		}
		text = rest
	}
	return shorten(report.Clean(b.String()))
}

// endsInWord reports whether text ends with a letter or a digit.
func endsInWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// unquoted redacts text that stands outside of double quotes.
func unquoted(text string) string {
	for _, s := range secrets() {
		text = s.pattern.ReplaceAllStringFunc(text, func(match string) string { return s.by(s.pattern.FindStringSubmatch(match)) })
	}
	return text
}

// cutLiteral cuts off the quoted text that s begins with. Without a closing quote
// it is all of s.
func cutLiteral(s string) (literal, rest string) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1], s[i+1:]
		}
	}
	return s, ""
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= maxRedacted {
		return s
	}
	return string([]rune(s)[:maxRedacted]) + "…"
}
