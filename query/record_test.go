package query

import "testing"

func TestANamespaceIsInNone(t *testing.T) {
	for want, r := range map[string]Record{
		"namespaces/shop":          {Resource: "namespaces", Namespace: "shop", Name: "shop"},
		"namespaces/shop/finalize": {Resource: "namespaces", Namespace: "shop", Name: "shop", Subresource: "finalize"},
		"shop/pods/web-0":          {Resource: "pods", Namespace: "shop", Name: "web-0"},
	} {
		if got := r.Object(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
