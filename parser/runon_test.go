package parser

import (
	"strings"
	"testing"
)

// TestAnEventBehindWhatIsNoneIsRead: whatever stands before it on its line, an
// event is read, and the rest is counted. {} stands for an event.
func TestAnEventBehindWhatIsNoneIsRead(t *testing.T) {
	plain := event("a")
	blank := strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(plain)
	middle := strings.Index(plain, `"user"`)
	head, tail := plain[:middle], plain[middle:]
	const klog = `W0105 09:00:00.000000       1 watcher.go:338] watch chan error: closed`
	quoted := `"a":"{\"b\":1}"}}`
	for _, c := range []struct {
		line            string
		events, refused int
	}{
		{"}{}", 1, 1},
		{"]]]{}", 1, 1},
		{"} {}", 1, 1},
		{"abc{}", 1, 1},
		{"[abc{}", 1, 1},
		{`,"a":"b"}}{}`, 1, 1},
		{`,"a":"b"}} {}`, 1, 1},
		{`"a":"b"}}{}`, 1, 1},
		{quoted + "{}", 1, 1},
		{tail + "{}", 1, 1},
		{"x" + tail + "{}", 1, 1},
		{"{{}", 1, 1},
		{head + "{}", 1, 1},
		{"}{}{}", 2, 1},
		{"}{}" + head, 1, 2},
		{"abc{}abc{}", 2, 2},
		{head + "{}{}" + head, 2, 2},
		{"{}" + tail + "{}", 2, 1},
		{klog + "{}", 1, 1},
		{strings.Repeat("{}700 <14>1 - cp1 x 1 - - ", 20), 20, 3}, // syslog over TCP counts octets; three places of a kind are kept
		{klog[:30] + "{}" + klog, 1, 2},
		{klog + head, 0, 2},
		{`{"a":{}}`, 0, 1},       // it may be anyone's
		{head + `"a":{},`, 0, 1}, // so may this
	} {
		for name, e := range map[string]string{"compact": plain, "with blanks": blank} {
			out := readText(t, strings.ReplaceAll(strings.ReplaceAll(c.line, "{}", e), "\n", "")+"\n", Options{})
			events, refused := 0, 0
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, "a ") {
					events++
				} else {
					refused++
				}
			}
			if events != c.events || refused != c.refused {
				t.Errorf("%s, %s: %d events, %d refused, want %d, %d:\n%s", c.line, name, events, refused, c.events, c.refused, out)
			}
		}
	}
}
