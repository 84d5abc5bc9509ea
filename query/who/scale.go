package who

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A size is what the bodies of an event tell of an object's replicas.
type size struct {
	named bool   // the request names replicas: an update does, a patch may
	after *int64 // spec.replicas after the event; nil if the bodies don't tell

	running *int64 // status.replicas after the event, which follow the spec
	seen    bool   // the controller had seen the spec, so the event did not change it
}

// A sized is the part of an object that tells its size.
type sized struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		Replicas *int64 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Replicas           *int64 `json:"replicas"`
		ObservedGeneration int64  `json:"observedGeneration"`
	} `json:"status"`
}

// readSize returns what the bodies tell, or nil if there are none.
func readSize(e *audit.Event) *size {
	var b bodies
	if e.Level < audit.LevelRequest || json.Unmarshal(e.Raw, &b) != nil || b.Request == nil && b.Response == nil {
		return nil
	}
	s := &size{}
	var asked, after sized
	if json.Unmarshal(b.Request, &asked) == nil {
		s.after = asked.Spec.Replicas
		s.named = s.after != nil
	} else if e.Verb == audit.VerbPatch {
		s.after, s.named = patched(b.Request)
	}
	if json.Unmarshal(b.Response, &after) == nil && after.Spec.Replicas != nil {
		s.after, s.running = after.Spec.Replicas, after.Status.Replicas
		s.seen = after.Metadata.Generation > 0 && after.Metadata.Generation == after.Status.ObservedGeneration
	}
	return s
}

// patched returns the replicas that a JSON patch sets, and whether it may set them.
// replicas is nil if it may but the number is not known.
func patched(body json.RawMessage) (replicas *int64, named bool) {
	var operations []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(body, &operations) != nil {
		return nil, false
	}
	for _, o := range operations {
		if o.Op == "test" || o.Path != "/spec/replicas" && o.Path != "/spec" && o.Path != "" {
			continue
		}
		replicas, named = nil, true
		if o.Path == "/spec/replicas" && json.Unmarshal(o.Value, &replicas) != nil {
			replicas = nil
		}
	}
	return replicas, named
}

// A scaled is what a deed did to an object's replicas, and how that is known.
type scaled struct{ change, how, confidence string }

// onlyScalings keeps only the deeds that scaled their object. With bodies it
// compares each write with those before it; without, only a write to the scale
// subresource is a scaling.
func (c *Collector) onlyScalings() {
	all := slices.Concat(c.deeds.deeds, c.touched.deeds)
	slices.SortFunc(all, func(a, b *Deed) int { return a.Compare(b.Record) })
	size := map[object]*int64{}
	for _, d := range all {
		o := d.object()
		if d.Code < 200 || d.Code >= 300 || strings.Contains(d.Ask, "dryRun") {
			continue
		}
		d.scaled = scaling(size[o], d)
		d.passed = d.passed && d.scaled != nil
		switch {
		case d.size != nil && d.size.after != nil && !deletes(d):
			size[o] = d.size.after
		case d.leavesSize():
		default:
			delete(size, o)
		}
	}
	c.deeds.deeds = slices.DeleteFunc(c.deeds.deeds, func(d *Deed) bool {
		if d.scaled == nil {
			c.touched.deeds = append(c.touched.deeds, d)
		}
		return d.scaled == nil
	})
	c.touched.trim()
}

// leavesSize reports whether a deed that does not tell the replicas is known to
// leave them as they were.
func (d *Deed) leavesSize() bool {
	switch d.Verb {
	case "update":
		return d.Subresource != "" && d.Subresource != "scale"
	case "patch":
		return d.Subresource != "" && d.Subresource != "scale" || d.size != nil && !d.size.named
	case "create", "delete", "deletecollection":
		return d.Subresource != ""
	}
	return true
}

// scaling returns what a write did to an object's replicas, or nil if it left them
// as they were. before is how many there were, nil if that is not known.
func scaling(before *int64, d *Deed) *scaled {
	const unknown = "how many there were before is not in the log"
	s, scale := d.size, d.Subresource == "scale"
	switch {
	case d.Verb != "update" && d.Verb != "patch" || d.Subresource != "" && !scale:
		return nil
	case s == nil && scale:
		return &scaled{confidence: confirmed}
	case s == nil || !s.named:
		return nil
	case s.after == nil:
		return &scaled{how: "the patch sets replicas, but to a number that can't be read", confidence: possible}
	case before != nil && *before == *s.after:
		return nil
	case before != nil:
		return &scaled{change: fmt.Sprintf("spec.replicas %d -> %d", *before, *s.after), confidence: confirmed}
	case s.seen:
		return nil
	}
	done := &scaled{change: fmt.Sprintf("spec.replicas = %d", *s.after), confidence: possible}
	moves := s.running != nil && *s.running != *s.after
	switch {
	case scale:
		done.how, done.confidence = "it asks for this; "+unknown, likely
	case moves:
		done.how = fmt.Sprintf("its status had %d then; %s", *s.running, unknown)
		if d.Verb == "patch" {
			done.confidence = likely
		}
	case d.Verb == "patch":
		done.how = "the patch names replicas; " + unknown
	default:
		return nil // an update sends the whole object, changed or not
	}
	return done
}

// bodiless says who wrote to the object, and how often, without a body in the log:
// such writes may have scaled it. It is empty if there are none.
func (c *Collector) bodiless() string {
	const most = 4 // clients that are named
	if c.question.Deed != "scaled" {
		return ""
	}
	writes := map[string]int{}
	for _, d := range c.touched.deeds {
		if d.mayScale() {
			writes[d.Client()]++
		}
	}
	clients := slices.Collect(maps.Keys(writes))
	slices.SortFunc(clients, func(a, b string) int { return cmp.Or(cmp.Compare(writes[b], writes[a]), cmp.Compare(a, b)) })
	var told []string
	for _, name := range clients[:min(most, len(clients))] {
		told = append(told, fmt.Sprintf("%s (%d)", name, writes[name]))
	}
	if more := len(clients) - most; more > 0 {
		told = append(told, fmt.Sprintf("%d more clients", more))
	}
	if len(told) == 0 {
		return ""
	}
	return "the log has no bodies of writes that may have scaled " + c.question.Resource + "/" + c.question.Name +
		", so it can't tell what they changed: by " + strings.Join(told, ", ")
}

// mayScale reports whether a write to the whole object has no body, so that it may
// have changed the replicas.
func (d *Deed) mayScale() bool {
	return (d.Verb == "update" || d.Verb == "patch") && d.Subresource == "" && d.size == nil && !d.left &&
		200 <= d.Code && d.Code < 300 && !strings.Contains(d.Ask, "dryRun")
}
