package analysis

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/kaudit/kaudit/audit"
)

// recorded returns the paths of recorded logs that match a pattern under the
// folder of shared recordings. Where these are absent there are none.
func recorded(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "shared", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// readLog decodes a log in a plain way. Lines that are no events are passed
// over.
func readLog(t testing.TB, path string) []*audit.Event {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	var events []*audit.Event
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for offset := int64(0); lines.Scan(); offset += int64(len(lines.Bytes())) + 1 {
		var full auditv1.Event
		if json.Unmarshal(lines.Bytes(), &full) != nil || full.Stage == "" {
			continue
		}
		e := eventOf(&full)
		e.Source, e.Log, e.Offset = path, path, offset
		events = append(events, e)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return events
}

func eventOf(full *auditv1.Event) *audit.Event {
	e := &audit.Event{
		Level: audit.ParseLevel([]byte(full.Level)), Stage: audit.ParseStage([]byte(full.Stage)),
		Verb: audit.Intern(full.Verb), User: audit.Intern(full.User.Username),
		UserAgent: audit.Intern(full.UserAgent), AuditID: audit.View(full.AuditID), URI: audit.View(full.RequestURI),
		Received: audit.TimeOf(full.RequestReceivedTimestamp.Time), At: audit.TimeOf(full.StageTimestamp.Time),
	}
	for _, ip := range full.SourceIPs {
		e.SourceIPs = append(e.SourceIPs, audit.Intern(ip))
	}
	if o := full.ObjectRef; o != nil {
		e.Group, e.Resource, e.Subresource = audit.Intern(o.APIGroup), audit.Intern(o.Resource), audit.Intern(o.Subresource)
		e.Namespace, e.Name, e.ObjectRV = audit.Intern(o.Namespace), audit.View(o.Name), audit.View(o.ResourceVersion)
	}
	if s := full.ResponseStatus; s != nil {
		e.Code, e.Message = int(s.Code), audit.View(s.Message)
	}
	for _, key := range slices.Sorted(maps.Keys(full.Annotations)) {
		e.Annotations = append(e.Annotations, audit.Annotation{
			Key: audit.Intern(key), Value: audit.View(full.Annotations[key]),
		})
	}
	return e
}

// factsOf returns the facts of the logs, with their folder's name for the
// log's, and file names that do not depend on the machine.
func factsOf(t testing.TB, paths ...string) *Facts {
	t.Helper()
	f := NewFacts()
	for _, path := range paths {
		for _, e := range readLog(t, path) {
			e.Log = filepath.Base(filepath.Dir(path))
			f.Observe(e, true)
		}
	}
	return f
}

// clock writes times of a day: "13:59:22".
func clock(times []audit.Time) string {
	var s []string
	for _, t := range times {
		s = append(s, t.Std().Format("15:04:05"))
	}
	return strings.Join(s, " ")
}

func noteLines(f *Facts) []string {
	lines := []string{}
	for _, n := range f.Notes() {
		lines = append(lines, fmt.Sprintf("%s %s-%s", n.Kind, clock([]audit.Time{n.From}), clock([]audit.Time{n.To})))
	}
	return lines
}
