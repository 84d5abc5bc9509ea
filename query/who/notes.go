package who

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// notes returns what the answer can't tell, and why.
func (c *Collector) notes(a *Answer, words Words) (notes []string) {
	for _, t := range a.Answers {
		if note := c.openEnd(t); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if len(a.Answers) == 0 {
		notes = append(notes, c.nothing(words))
	}
	if note := c.bodiless(); note != "" {
		notes = append(notes, note)
	}
	if c.deeds.dropped {
		notes = append(notes, fmt.Sprintf("only the last %d deeds were looked at", maxAsked))
	}
	if slices.ContainsFunc(a.Answers, c.forgotten) {
		notes = append(notes, "the log has more possible causes than are kept, so those of the earlier deeds may be missing: give a name, --namespace or --until")
	}
	return notes
}

// forgotten reports whether what led to a deed may have been dropped from a shelf.
func (c *Collector) forgotten(t *Told) bool {
	end := t.end()
	if end.Subresource != "eviction" && !strings.HasPrefix(end.User, nodeUser) && controller(end) == "" {
		return false // a human's deed has no cause in a log
	}
	return slices.ContainsFunc([]*shelf{&c.leads, &c.nodes, &c.elsewhere}, func(s *shelf) bool {
		return s.dropped && end.Time.Sub(s.deeds[0].Time) < later
	})
}

// nothing returns the note for a question without an answer.
func (c *Collector) nothing(words Words) string {
	object := c.question.Resource + "/" + c.question.Name
	if c.question.Deed == "read" && !c.reads {
		return words.Log + " has nothing at all that was read, as where the audit policy leaves that out"
	}
	if note := c.passedOver(object, words); note != "" {
		return note
	}
	if c.first == nil {
		if c.question.Namespace != "" {
			object += " in " + c.question.Namespace
		}
		return "nothing in " + words.Log + " names " + object
	}
	if note := c.onlyStatus(object); note != "" {
		return note
	}
	last := c.first
	for _, d := range c.touched.deeds {
		last = d
	}
	note := fmt.Sprintf("%s does not say that %s was %s: it speaks of it from %s to %s", words.Log, object, c.question.spoken(),
		c.first.Time.Std().Format(time.RFC3339), last.Time.Std().Format(time.RFC3339))
	return note + c.tried()
}

// passedOver says that the deed was done, but is left out by the other flags. It
// is empty if that is not so.
func (c *Collector) passedOver(object string, words Words) string {
	var last *Deed
	n, was := 0, "was"
	for _, sure := range []bool{true, false} {
		for _, d := range c.touched.deeds {
			if d.passed && d.sure == sure {
				n, last = n+1, d
			}
		}
		if n > 0 {
			break
		}
		was = "may have been"
	}
	times := fmt.Sprintf("%d times, last", n)
	switch n {
	case 0:
		return ""
	case 1:
		times = "once,"
	}
	if !last.sure && c.first == nil {
		object = "nothing in " + words.Log + " names " + object + ": it"
	}
	return fmt.Sprintf("%s %s %s %s by %s at %s; %s", object, was, c.question.spoken(), times,
		last.Client(), last.Time.Std().Format(time.RFC3339), words.LeftOut)
}

// onlyStatus says that only the status of the object was written, by which
// controllers and kubelets report: that is no change. It is empty if that is not
// so.
func (c *Collector) onlyStatus(object string) string {
	var last *Deed
	n := 0
	for _, d := range c.touched.deeds {
		if (d.Verb == "update" || d.Verb == "patch") && d.Subresource == "status" && 200 <= d.Code && d.Code < 300 {
			n, last = n+1, d
		}
	}
	if c.question.Deed != "changed" || n == 0 {
		return ""
	}
	times := fmt.Sprintf("%d times, last", n)
	if n == 1 {
		times = "once,"
	}
	return fmt.Sprintf("of %s only the status was written, %s by %s at %s (kaudit timeline %[1]s)", object, times,
		last.Client(), last.Time.Std().Format(time.RFC3339))
}

// tried says how many attempts failed, and how. Conflicts are told apart from
// denials: the client had read an older version, and tries again.
func (c *Collector) tried() (text string) {
	conflicted, denied, failed := 0, 0, 0
	for _, d := range c.touched.deeds {
		switch {
		case d.Code < 400 || d.Subresource == "status" || !slices.Contains(c.asked.verbs, d.Verb):
		case d.Code == 409:
			conflicted++
		case d.Code == 401 || d.Code == 403:
			denied++
		default:
			failed++
		}
	}
	for _, of := range []struct {
		n    int
		what string
	}{
		{conflicted, "conflicted"},
		{denied, "were denied (kaudit who denied)"},
		{failed, "failed (kaudit events --failed)"},
	} {
		switch {
		case of.n == 1:
			text += ", and 1 attempt " + strings.Replace(of.what, "were", "was", 1)
		case of.n > 1:
			text += fmt.Sprintf(", and %d attempts %s", of.n, of.what)
		}
	}
	return text
}
