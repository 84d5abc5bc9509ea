package driver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/analyzers"
	"github.com/kaudit/kaudit/fixtures"
	"github.com/kaudit/kaudit/parser"
)

// A change makes another log of one: what is found in it is known from what was
// found in the first.
type change func(log []byte) []byte

// changeable returns the recordings in which every name and time can be
// changed: not those with an API server's own lines between the events, nor one
// in which more is written than is kept one by one: which lines these are, and so
// the numbers, depends on names and times.
func changeable(t *testing.T) map[string][]string {
	all := recordings(t)
	delete(all, "g-kubectl-logs-mix")
	delete(all, "j-balancer-and-fight")
	return all
}

// found returns what is found in changed logs.
func found(t *testing.T, names []string, c change) []analysis.Finding {
	t.Helper()
	var logs []*parser.Log
	for _, name := range names {
		logs = append(logs, parser.NewLog(name, bytes.NewReader(c(unpacked(t, name)))))
	}
	return driver.Run(context.Background(), logs, driver.Options{Analyzers: analyzers.All()}).Findings
}

func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	data, err := fixtures.FS.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return data
}

// said returns what findings say, a line each, in order of text.
func said(findings []analysis.Finding, say func(analysis.Finding) string) (lines []string) {
	for _, f := range findings {
		lines = append(lines, say(f))
	}
	slices.Sort(lines)
	return lines
}

// in full says all of a finding, but for its id and title, which tell of nothing
// else, and with lists in order.
func inFull(f analysis.Finding) string {
	f.ID, f.Title = "", ""
	for i := range f.Marks {
		f.Marks[i].Label = ""
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// inShort says what a finding claims, of whom and what.
func inShort(f analysis.Finding) string {
	return fmt.Sprint(f.Analyzer, " ", f.Severity, " ", f.Confidence, " ", f.Details["kind"], " ", f.Subject)
}

// Users, namespaces, nodes and objects may be called what they like.
func TestOtherNamesChangeNothingElse(t *testing.T) {
	for folder, names := range changeable(t) {
		t.Run(folder, func(t *testing.T) {
			rename := otherNames(t, names)
			want := said(found(t, names, same), func(f analysis.Finding) string { return inOrder(rename([]byte(inFull(f)))) })
			got := said(found(t, names, rename), func(f analysis.Finding) string { return inOrder([]byte(inFull(f))) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("with other names (-want +got):\n%s", diff)
			}
		})
	}
}

// inOrder sorts the lists of a finding that are of names: with other names they
// have another order.
func inOrder(finding []byte) string {
	var f map[string]any
	if err := json.Unmarshal(finding, &f); err != nil {
		return err.Error()
	}
	for _, value := range f["details"].(map[string]any) {
		if list, ok := value.([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// The day and the hour mean nothing. What is counted by the minute may come out
// a little differently where minutes begin elsewhere, and what is sampled is
// sampled by time.
func TestOtherTimesChangeNothingElse(t *testing.T) {
	const hours, odd = 41 * time.Hour, 17*time.Hour + 3*time.Minute + 13*time.Second + 123457*time.Microsecond
	for folder, names := range changeable(t) {
		t.Run(folder, func(t *testing.T) {
			before := found(t, names, same)
			full := func(by time.Duration) func(f analysis.Finding) string {
				return func(f analysis.Finding) string {
					f.Evidence, f.Marks = nil, nil
					return movedText(inFull(f), by)
				}
			}
			if diff := cmp.Diff(said(before, full(0)), said(found(t, names, moved(hours, 1)), full(-hours))); diff != "" {
				t.Errorf("%s later (-want +got):\n%s", hours, diff)
			}
			if diff := cmp.Diff(said(before, inShort), said(found(t, names, moved(odd, 1)), inShort)); diff != "" {
				t.Errorf("%s later (-want +got):\n%s", odd, diff)
			}
		})
	}
}

// noPace are the analyzers whose findings tell of an order or a number of
// events, rather than of times that somebody has set: a request timeout of a
// minute, stretched, is none.
var noPace = []string{"auth-failure", "endpoint-flap", "hot-loop", "panic", "stuck-watch", "throttling", "watch-expiry"}

// What repeats itself does so at any pace, within reason; and health is no
// matter of pace.
func TestOtherPacesChangeNoClaim(t *testing.T) {
	for folder, names := range changeable(t) {
		t.Run(folder, func(t *testing.T) {
			claims := func(c change) []string {
				return said(slices.DeleteFunc(found(t, names, c), func(f analysis.Finding) bool {
					return !slices.Contains(noPace, f.Analyzer) || f.Severity < analysis.Warning
				}), inShort)
			}
			want := claims(same)
			for _, stretch := range []float64{0.5, 2} {
				if diff := cmp.Diff(want, claims(moved(0, stretch))); diff != "" {
					t.Errorf("at %g of its time (-want +got):\n%s", stretch, diff)
				}
			}
		})
	}
}

func same(log []byte) []byte { return log }

var stamp = regexp.MustCompile(`"(?:requestReceivedTimestamp|stageTimestamp)":"([^"]+)"`)

// moved moves all events by a time, and stretches the time between them.
func moved(by time.Duration, stretch float64) change {
	return func(log []byte) []byte {
		var origin time.Time
		for _, m := range stamp.FindAllSubmatch(log, -1) {
			if at, err := time.Parse(time.RFC3339Nano, string(m[1])); err == nil && (origin.IsZero() || at.Before(origin)) {
				origin = at
			}
		}
		return stamp.ReplaceAllFunc(log, func(text []byte) []byte {
			m := stamp.FindSubmatch(text)
			at, err := time.Parse(time.RFC3339Nano, string(m[1]))
			if err != nil {
				return text
			}
			at = origin.Add(by + time.Duration(float64(at.Sub(origin))*stretch))
			return bytes.Replace(text, m[1], []byte(at.UTC().Format("2006-01-02T15:04:05.000000Z")), 1)
		})
	}
}

// movedText moves all times of a text.
func movedText(text string, by time.Duration) string {
	return anyTime.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return s
		}
		return at.Add(by).Format(time.RFC3339Nano)
	})
}

var (
	named = regexp.MustCompile(`"(?:username|namespace|name)":"([^"]+)"`)
	fixed = regexp.MustCompile(`"(?:verb|resource|subresource|apiGroup|apiVersion|stage|level|reason|kind|status|message)":"([^"]+)"`)
	word  = regexp.MustCompile(`[A-Za-z0-9._-]+`)

	ofGroup = regexp.MustCompile(`"resource":"(?:apiservices|customresourcedefinitions)","name":"([^"]+)"`)

	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
)

// otherNames gives users, namespaces, nodes and objects other names: those that
// people choose, not those that Kubernetes gives to its own, nor those that
// mean something else too, as those of CRDs hold their groups.
func otherNames(t *testing.T, logs []string) change {
	names, taken := map[string]bool{}, map[string]bool{"default": true}
	for _, name := range logs {
		log := unpacked(t, name)
		for _, m := range named.FindAllSubmatch(log, -1) {
			switch parts := strings.Split(string(m[1]), ":"); {
			case parts[0] != "system":
				names[string(m[1])] = true
			case len(parts) == 3 && parts[1] == "node":
				names[parts[2]] = true
			case len(parts) == 4 && strings.HasPrefix(parts[2], "kube-"):
				taken[parts[3]] = true
			case len(parts) == 4:
				names[parts[2]], names[parts[3]] = true, true
			}
		}
		for _, m := range ofGroup.FindAllSubmatch(log, -1) {
			taken[string(m[1])] = true
		}
		for _, m := range fixed.FindAllSubmatch(log, -1) {
			for _, w := range word.FindAllString(string(m[1]), -1) {
				taken[w] = true
			}
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return taken[name] || strings.HasPrefix(name, "kube") })
	return func(log []byte) []byte {
		return word.ReplaceAllFunc(log, func(w []byte) []byte {
			if !names[string(w)] {
				return w
			}
			return bytes.Map(rot13, w)
		})
	}
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}
