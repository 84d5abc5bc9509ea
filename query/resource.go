package query

import (
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// A kind is a value of --resource: RESOURCE.GROUP/SUBRESOURCE, each of which may
// have a *. If the group or the subresource is left out, any matches; if it is
// empty, "pods." asks for the core group and "pods/" for the resource itself.
type kind struct {
	resource, group, sub pattern
	anyGroup, anySub     bool
	whole                *pattern // an expression on the whole text
}

func parseKind(text string) (k kind, err error) {
	if isExpression(text) {
		whole, err := parsePattern(text)
		return kind{whole: &whole}, err
	}
	text, sub, hasSub := strings.Cut(text, "/")
	name, group, hasGroup := strings.Cut(text, ".")
	k.anyGroup, k.anySub = !hasGroup, !hasSub
	for _, p := range []struct {
		to   *pattern
		text string
	}{{&k.resource, Plural(name)}, {&k.group, group}, {&k.sub, sub}} {
		if *p.to, err = parsePattern(p.text); err != nil {
			return k, err
		}
	}
	return k, nil
}

// A target is the resource that a request is for.
type target struct{ resource, group, sub audit.Sym }

func (t target) String() string {
	text := t.resource.String()
	if t.group != (audit.Sym{}) {
		text += "." + t.group.String()
	}
	if t.sub != (audit.Sym{}) {
		text += "/" + t.sub.String()
	}
	return text
}

func (k *kind) fits(t target) bool {
	if k.whole != nil {
		return k.whole.fits([]byte(t.String()))
	}
	return k.resource.fits([]byte(t.resource.String())) &&
		(k.anyGroup || k.group.fits([]byte(t.group.String()))) &&
		(k.anySub || k.sub.fits([]byte(t.sub.String())))
}

// addResources adds a condition on the resource.
func (c *Condition) addResources(values []string) error {
	values = split(values)
	chosen, err := parseChoice("--resource", values, parseKind)
	if err != nil || len(values) == 0 {
		return err
	}
	c.parts = append(c.parts, part{"--resource", values, func(f *fitting) test {
		fits := remember(func(t target) bool {
			fits := chosen.fits(func(k *kind) bool { return k.fits(t) })
			if !fits && f.looks() {
				f.near.see(t.resource.String())
				f.near.see(t.String())
			}
			return fits
		})
		return func(e *audit.Event) bool { return fits(target{e.Resource, e.Group, e.Subresource}) }
	}})
	return nil
}
