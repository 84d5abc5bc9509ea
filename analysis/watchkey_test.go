package analysis_test

import (
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

func TestWhatNarrowsAScope(t *testing.T) {
	for _, c := range []struct{ query, object, name, selector string }{
		{"watch=true&resourceVersion=1", "", "", ""},
		{"watch=true", "web", "web", ""}, // of the deprecated /watch/ path
		{"fieldSelector=metadata.name%3Dweb&watch=true", "web", "web", ""},
		{"fieldSelector=metadata.name%3Dweb&watch=true", "", "web", ""}, // an old server leaves the name out
		{"fieldSelector=metadata.name=web", "", "web", ""},
		{"fieldSelector=metadata.name%3D%3Dweb", "", "web", ""},
		{"fieldSelector=metadata.name%21%3Dweb", "", "", "metadata.name%21%3Dweb"},
		{"fieldSelector=metadata.name%3Dweb%2Cspec.nodeName%3Dn1", "web", "", "metadata.name%3Dweb%2Cspec.nodeName%3Dn1"},
		{"fieldSelector=metadata.name%3Dweb&labelSelector=app", "web", "", "metadata.name%3Dweb&app"},
		{"fieldSelector=metadata.namespace%3Dweb", "", "", "metadata.namespace%3Dweb"},
		{"labelSelector=app%3Dweb&watch=true", "", "", "app%3Dweb"},
		{"labelSelector=&fieldSelector=&watch=true", "", "", ""},
		{"", "", "", ""},
	} {
		e := audit.Event{URI: audit.View("/api/v1/services?" + c.query), Name: audit.View(c.object)}
		key := analysis.WatchKey(&e)
		if key.Name != c.name || key.Selector.String() != c.selector {
			t.Errorf("%s: got name %q, selector %q; want %q, %q", c.query, key.Name, key.Selector, c.name, c.selector)
		}
	}
}

func TestAScopeIsToldInWords(t *testing.T) {
	pods, apps, shop := audit.Intern("deployments"), audit.Intern("apps"), audit.Intern("shop")
	for want, key := range map[string]analysis.Key{
		"deployments.apps": {Resource: pods, Group: apps},
		"deployments.apps named web in namespace shop": {Resource: pods, Group: apps, Namespace: shop, Name: "web"},
		"deployments with selector app=web,!old":       {Resource: pods, Selector: audit.Intern("app%3Dweb%2C%21old")},
		`deployments with selector a\nb`:               {Resource: pods, Selector: audit.Intern("a%0Ab")},
	} {
		if got := key.ScopeText(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAWatchKeyCostsNoAllocation(t *testing.T) {
	keep := audit.Intern("app%3Dweb")
	e := audit.Event{URI: audit.View("/api/v1/services?labelSelector=app%3Dweb&resourceVersion=376&watch=true")}
	var key analysis.Key
	if n := testing.AllocsPerRun(100, func() { key = analysis.WatchKey(&e) }); n != 0 || key.Selector != keep {
		t.Errorf("%v allocations for selector %s, want 0", n, key.Selector)
	}
}
