package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/query/timeline"
)

// aboutFinding returns what the story of a finding is about: the object or the
// node that it names, or what its client does to its scope.
func aboutFinding(f *analysis.Finding) (timeline.Subject, query.Filter) {
	s := &f.Subject
	switch {
	case s.Node != "":
		return timeline.Subject{Node: s.Node}, query.Filter{}
	case s.Name != "" && s.Resource != "":
		return timeline.Subject{Resource: s.Resource, APIGroup: s.APIGroup, Namespace: s.Namespace, Name: s.Name}, query.Filter{}
	}
	var narrow query.Filter
	add := func(to *[]string, text string) {
		if text != "" {
			*to = append(*to, exactly(text))
		}
	}
	add(&narrow.Users, s.User)
	add(&narrow.UserAgents, s.UserAgent)
	add(&narrow.Namespaces, s.Namespace)
	if s.Resource != "" {
		narrow.Resources = append(narrow.Resources, s.Resource+"."+s.APIGroup)
	}
	return timeline.Subject{}, narrow
}

// exactly writes a text from a log as a value of a filter that fits nothing
// else.
func exactly(text string) string {
	if strings.ContainsAny(text, "*!/,") {
		return "/^" + regexp.QuoteMeta(text) + "$/"
	}
	return text
}

// placeOf names a line of a file.
func placeOf(source string, line int) string { return fmt.Sprintf("%s:%d", source, line) }
