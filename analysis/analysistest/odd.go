package analysistest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

// odd returns events that lack what one might count on: no object, no status,
// no user, no time, stamps in the wrong order.
func odd() []audit.Event {
	verbs := []audit.Sym{
		{},
		audit.VerbGet, audit.VerbList, audit.VerbWatch, audit.VerbCreate, audit.VerbUpdate,
		audit.VerbPatch, audit.VerbDelete, audit.VerbDeleteCollection, audit.Intern("no-such-verb"),
	}
	resources := []string{"", "services", "endpoints", "endpointslices", "pods", "nodes", "leases", "namespaces"}
	subresources := []audit.Sym{{}, audit.SubExec, audit.SubLog, audit.SubProxy, audit.SubStatus}
	var all []audit.Event
	for stage := audit.StageUnknown; stage <= audit.StagePanic; stage++ {
		for _, verb := range verbs {
			for i, resource := range resources {
				e := audit.Event{Stage: stage, Verb: verb, Resource: audit.Intern(resource), Subresource: subresources[i%len(subresources)]}
				all = append(all, e)
				e.Code, e.At, e.Received = 101, 1, 2 // it ends before it begins
				e.URI = audit.View("?resourceVersion=-1&timeoutSeconds=99999999999&watch")
				all = append(all, e)
				e.Code, e.At, e.Received = 200, 1<<60, 0
				e.URI = audit.View("/api/v1/%zz?resourceVersion=18446744073709551616&%%%=&&")
				e.User, e.AuditID = audit.Intern("\x1b[31m\u202e"), audit.View("\x00")
				all = append(all, e)
			}
		}
	}
	return all
}

// maimings is how many events of a log are maimed.
const maimings = 200

// maimed returns events of a log, again and again: each time one of their
// fields is missing, and a few others at random.
func maimed(events []kept, rng *rand.Rand) []audit.Event {
	var all []audit.Event
	for _, i := range rng.Perm(len(events))[:min(maimings, len(events))] {
		for field := range reflect.TypeFor[audit.Event]().NumField() {
			e := events[i].event
			fields := reflect.ValueOf(&e).Elem()
			fields.Field(field).SetZero()
			for range rng.IntN(3) {
				fields.Field(rng.IntN(fields.NumField())).SetZero()
			}
			all = append(all, e)
		}
	}
	return all
}

// survive reports the event that an analyzer panics on.
func survive(t testing.TB, a *analysis.Analyzer, events []audit.Event) {
	t.Helper()
	var at *audit.Event // nil in Report
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("a panic, %v, in %s", p, describe(at))
		}
	}()
	s := analysis.NewShard([]*analysis.Analyzer{a})
	for i := range events {
		at = &events[i]
		s.Observe(at, true)
		s.Observe(at, false)
	}
	at = nil
	s.Findings(nil)
}

func describe(e *audit.Event) string {
	if e == nil {
		return "Report"
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("Keys or Observe of %s", raw)
}

// settingsTimes returns settings in which every number is so many times its
// default, and no duration is so short that nobody may set it.
func settingsTimes(a *analysis.Analyzer, factor float64) analysis.Settings {
	settings := map[string]any{}
	for _, o := range a.Options {
		switch v := o.Default.(type) {
		case int:
			settings[o.Name] = int(float64(v) * factor)
		case float64:
			settings[o.Name] = v * factor
		case time.Duration:
			settings[o.Name] = time.Duration(float64(v) * factor)
			if o.Least > 0 {
				settings[o.Name] = max(o.Least, time.Duration(float64(v)*factor))
			}
		case bool:
			settings[o.Name] = !v
		}
	}
	return analysis.Settings{a.Name: settings}
}
