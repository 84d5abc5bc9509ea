package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kaudit/kaudit/analysis/driver"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/query"
	"github.com/kaudit/kaudit/report"
)

// A sought is the object or node that a question is about. It watches the log to
// be able to say, if there is no answer, what the user may have meant or which
// flags leave the object out. A nil one says nothing.
type sought struct {
	condition  *query.Condition
	anywhere   *query.Condition // the object in any namespace; nil if none was given
	kind, name string           // of the object; a node has no kind
	namespace  string           // of the object; empty if none was given
	flag       string           // to name a node with, such as "--node "

	chosen *query.Condition // what the flags choose, to find those that leave it out

	mu   sync.Mutex
	seen []*sighting // one a worker
}

// A sighting is what one worker saw of what is sought.
type sighting struct {
	first, last audit.Time // of its events, chosen or not; 0 is never
	chosen      bool       // some of them were chosen
	namespaces  []string   // others with an object of this kind and name
	kinds       []string   // of objects of its name in a namespace named as its kind: the user wrote NAMESPACE/NAME
}

// seekObject returns an object to look for, of a resource that may be in an API
// group and a namespace.
func seekObject(resource, group, namespace, name string) *sought {
	f := query.Filter{Resources: []string{resource}, Names: []string{name}}
	if group != "" {
		f.Resources[0] += "." + group
	}
	var anywhere *query.Condition
	if namespace != "" {
		anywhere, _ = f.Compile()
		f.Namespaces = []string{namespace}
	}
	s := seek(f, resource, name, "")
	if s != nil {
		s.anywhere, s.namespace = anywhere, namespace
	}
	return s
}

const nodeUser = "system:node:"

// seekNode returns a node to look for. flag stands before names in hints.
func seekNode(name, flag string) *sought {
	return seek(query.Filter{Users: []string{nodeUser + name}}, "", name, flag)
}

// seek returns nil if the object's words can't be values of a filter.
func seek(f query.Filter, kind, name, flag string) *sought {
	c, err := f.Compile()
	if err != nil {
		return nil
	}
	return &sought{condition: c, kind: kind, name: name, flag: flag}
}

// watch makes o show it all events, also those that o.Select does not choose. It
// returns a function to be called once a worker, whose result the worker must
// call with each event that is chosen.
func (s *sought) watch(o *driver.Options, f *query.Filter) func() func(*audit.Event) {
	blind := func() func(*audit.Event) { return func(*audit.Event) {} }
	if s == nil {
		return blind
	}
	if o.Select == nil {
		return func() func(*audit.Event) {
			look := s.look()
			return func(e *audit.Event) { look(e, true) }
		}
	}
	s.chosen, _ = f.Compile()
	choose := o.Select
	o.Select = func() func(*audit.Event) bool {
		look, chooses := s.look(), choose()
		return func(e *audit.Event) bool {
			chosen := chooses(e)
			look(e, chosen)
			return chosen
		}
	}
	return blind
}

// look returns what a worker calls with each event, and whether it is chosen.
func (s *sought) look() func(e *audit.Event, chosen bool) {
	saw := &sighting{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, saw)
	fits, elsewhere, chooses := s.condition.Matcher(), func(*audit.Event) bool { return false }, func(*audit.Event) bool { return true }
	if s.anywhere != nil {
		elsewhere = s.anywhere.Matcher()
	}
	if s.chosen != nil {
		chooses = s.chosen.Matcher()
	}
	isKind := query.IsKind(s.kind)
	return func(e *audit.Event, chosen bool) {
		switch {
		case fits(e) || s.kind == "" && e.Resource == nodes && string(e.Name) == s.name:
			saw.add(e.At, e.At)
			saw.chosen = saw.chosen || chosen
			chooses(e)
		case elsewhere(e):
			saw.namespaces = addWord(saw.namespaces, e.Namespace.String())
		case !isKind && s.kind != "" && string(e.Name) == s.name && e.Namespace.String() == s.kind:
			saw.kinds = addWord(saw.kinds, resourceOf(e))
		}
	}
}

var nodes = audit.Intern("nodes")

func (s *sighting) add(first, last audit.Time) {
	if s.first == 0 || first < s.first {
		s.first = first
	}
	s.last = max(s.last, last)
}

// addWord adds a word to a sorted list, of which it keeps the first few.
func addWord(words []string, word string) []string {
	const most = 3
	i, ok := slices.BinarySearch(words, word)
	if ok || word == "" {
		return words
	}
	words = slices.Insert(words, i, word)
	return words[:min(len(words), most)]
}

// all returns what all workers saw together. They must be done.
func (s *sought) all() *sighting {
	all := &sighting{}
	if s == nil {
		return all
	}
	for _, o := range s.seen {
		if o.first != 0 {
			all.add(o.first, o.last)
		}
		all.chosen = all.chosen || o.chosen
		for _, word := range o.namespaces {
			all.namespaces = addWord(all.namespaces, word)
		}
		for _, word := range o.kinds {
			all.kinds = addWord(all.kinds, word)
		}
	}
	return all
}

// leftOut says when the log speaks of it, and which flags leave that out. It is
// empty if they don't. around is set if --around was given.
func (s *sought) leftOut(around bool) string {
	saw := s.all()
	if saw.first == 0 || saw.chosen {
		return ""
	}
	var flags []string
	if s.chosen != nil {
		for _, m := range s.chosen.Misfits() {
			flag := m.Flag
			if around && (flag == "--since" || flag == "--until") {
				flag = "--around"
			}
			flags = append(flags, flag)
		}
	}
	leave := "leaves"
	if len(flags) > 1 {
		leave = "leave"
	}
	return fmt.Sprintf("the log speaks of it from %s to %s; %s %s that out",
		saw.first.Std().Format(time.RFC3339), saw.last.Std().Format(time.RFC3339),
		cmp.Or(strings.Join(slices.Compact(flags), " and "), "--where"), leave)
}

// misplaced reports whether the log has it only in other namespaces.
func (s *sought) misplaced() bool {
	saw := s.all()
	return saw.first == 0 && len(saw.namespaces) > 0
}

// hint names what may have been meant, if the log has it.
func (s *sought) hint() string {
	if s == nil {
		return ""
	}
	var meant []string
	saw := s.all()
	switch {
	case saw.first != 0:
		return ""
	case len(saw.namespaces) > 0:
		for _, namespace := range saw.namespaces {
			meant = append(meant, "-n "+report.ShellWord(namespace))
		}
		if !slices.ContainsFunc(saw.namespaces, s.nearNamespace) {
			return "the log has it in another namespace: " + orList(meant)
		}
	case len(saw.kinds) > 0:
		for _, kind := range saw.kinds {
			meant = append(meant, report.ShellWord(kind+"/"+s.name)+" -n "+report.ShellWord(s.kind))
		}
	default:
		meant = s.nearMisses()
	}
	if len(meant) == 0 {
		return ""
	}
	return "did you mean " + orList(meant) + "?"
}

func (s *sought) nearNamespace(namespace string) bool {
	return query.Distance(s.namespace, namespace) <= query.Tolerance(s.namespace)
}

// nearMisses returns similar names that the log has, as arguments of the command.
func (s *sought) nearMisses() (meant []string) {
	for _, m := range s.condition.Misfits() {
		for _, near := range m.Near {
			switch m.Flag {
			case "--resource":
				meant = append(meant, report.ShellWord(near+"/"+s.name))
			case "--name":
				meant = append(meant, report.ShellWord(s.kind+"/"+near))
			case "--user":
				if node, ok := strings.CutPrefix(near, nodeUser); ok {
					meant = append(meant, s.flag+report.ShellWord(node))
				}
			default:
				meant = append(meant, "-n "+report.ShellWord(near))
			}
		}
	}
	return meant
}
