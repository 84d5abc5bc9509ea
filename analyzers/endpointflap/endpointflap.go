// Package endpointflap finds endpoints that are deleted and created again, or
// deleted and not made good, while their Service lives.
//
// A state holds what happened to one name: deletions and creations of its
// Endpoints, EndpointSlices and Service. Which deletion has a good reason is
// asked in Report, where all of them are known in order of their receipt: a
// cause may stand in the log after its effect.
package endpointflap

import (
	_ "embed"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optCycles = "cycles"
	optIntent = "intent"
	optSettle = "settle"
	optHand   = "by-hand"
	optBlind  = "excerpt-cycles"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "endpoint-flap",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optCycles, Default: 3, Unit: "cycles", Doc: "The fewest times that a program deletes endpoints, and they come back, to be critical: twice may be a restart and its retry."},
			{Name: optIntent, Default: 10 * time.Second, Doc: "A deletion this close to one of the Service belongs to it: a person needs that long to type the second command, and a controller that is behind catches up."},
			{Name: optSettle, Default: 30 * time.Second, Doc: "Endpoints that have not come back after this time are missing: controllers retry within seconds."},
			{Name: optHand, Default: 5, Unit: "deletions", Doc: "The fewest deletions of one object by one user that must be a program's: nobody types it so often."},
			{Name: optBlind, Default: 10, Unit: "cycles", Doc: "The fewest cycles of the controller to report as likely if the log has no writes of Services: hardly any Service is installed again so often."},
		},
		Needs: analysis.Needs{User: true, Names: true, Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}, Sees: analysis.Endpoints, Parts: []analysis.Part{
			{Sees: analysis.Keepers, Unseen: "it shows only what others do to them"},
		}},
		Wants: []audit.Class{audit.ClassWrote | audit.ClassWhole},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
		Group: group,
	}
}

// The resources, and the kind of the states that hold creations of slices
// whose name and service the log does not tell.
var (
	resEndpoints = audit.Intern("endpoints")
	resSlices    = audit.Intern("endpointslices")
	resServices  = audit.Intern("services")
	groupSlices  = audit.Intern("discovery.k8s.io")

	kindUnnamed = audit.Intern("unnamed-slices")
)

// keys takes writes of Endpoints, EndpointSlices and Services that took
// effect, each to the name of its Service.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	switch e.Resource {
	case resEndpoints, resServices:
		if e.Group != (audit.Sym{}) {
			return keys
		}
	case resSlices:
		if e.Group != groupSlices {
			return keys
		}
	default:
		return keys
	}
	if e.Namespace == (audit.Sym{}) || e.At == 0 {
		return keys
	}
	if e.Verb == audit.VerbDeleteCollection {
		if service := selectedService(e); service != "" {
			keys = append(keys, analysis.Key{Namespace: e.Namespace, Name: service})
		}
		return keys
	}
	if e.Resource == resSlices {
		return append(keys, sliceKey(e))
	}
	if len(e.Name) == 0 {
		return keys
	}
	return append(keys, analysis.Key{Namespace: e.Namespace, Name: analysis.NameOf(e.Name)})
}
