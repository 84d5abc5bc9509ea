package parser

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

// full is an event with everything that an Event holds, as an API server
// writes it.
const full = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse",` +
	`"auditID":"5f0c3b7e-0f53-4b38-9d0b-4a3b1f3e9d11","stage":"ResponseComplete",` +
	`"requestURI":"/apis/apps/v1/namespaces/shop/deployments/cart/status?fieldManager=a\u0026force=true","verb":"update",` +
	`"user":{"username":"alice","uid":"42","groups":["dev","system:authenticated"],"extra":{"scopes":["a","b"]}},` +
	`"impersonatedUser":{"username":"system:serviceaccount:shop:deployer","groups":["system:serviceaccounts"]},` +
	`"authenticationMetadata":{"impersonationConstraint":"impersonate:user-info"},` +
	`"sourceIPs":["192.0.2.7","10.0.0.9"],"userAgent":"kubectl/v1.33.1 (linux/amd64) kubernetes/abcdef0",` +
	`"objectRef":{"resource":"deployments","namespace":"shop","name":"cart","uid":"77","apiGroup":"apps","apiVersion":"v1",` +
	`"resourceVersion":"1234","subresource":"status"},` +
	`"responseStatus":{"metadata":{},"status":"Failure","message":"cart \"a\" changed","reason":"Conflict",` +
	`"details":{"name":"cart","group":"apps","kind":"deployments","causes":[{"reason":"x","message":"y","field":"z"}],"retryAfterSeconds":1},"code":409},` +
	`"requestObject":{"kind":"Deployment","spec":{"replicas":-1.5e3,"paused":false,"verb":"list"}},"responseObject":[null,{}],` +
	`"requestReceivedTimestamp":"2026-11-29T13:48:34.734856Z","stageTimestamp":"2026-11-29T13:48:35.000001Z",` +
	`"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":"RBAC: allowed by \"dev\""}}`

// bare is an event with as little as a v1 event may have.
const bare = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"None","stage":"Panic",` +
	`"requestReceivedTimestamp":"2026-11-29T13:48:36.000000Z","stageTimestamp":"2026-11-29T13:48:36.000000Z"}`

func names(texts ...string) (syms []audit.Sym) {
	for _, text := range texts {
		syms = append(syms, audit.Intern(text))
	}
	return syms
}

func at(text string) (t audit.Time) {
	if err := t.UnmarshalJSON([]byte(`"` + text + `"`)); err != nil {
		panic(err)
	}
	return t
}

func fullEvent() *audit.Event {
	return &audit.Event{
		Level: audit.LevelRequestResponse, Stage: audit.StageResponseComplete,
		Verb: audit.VerbUpdate, User: audit.Intern("alice"), As: audit.Intern("system:serviceaccount:shop:deployer"),
		UserAgent: audit.Intern("kubectl/v1.33.1 (linux/amd64) kubernetes/abcdef0"),
		Groups:    names("dev", "system:authenticated"), SourceIPs: names("192.0.2.7", "10.0.0.9"),
		Group: audit.Intern("apps"), Version: audit.Intern("v1"), Resource: audit.Intern("deployments"),
		Subresource: audit.SubStatus, Namespace: audit.Intern("shop"), Name: audit.View("cart"), ObjectRV: audit.View("1234"),
		Code: 409, Reason: audit.Intern("Conflict"), Message: audit.View(`cart "a" changed`),
		AuditID:  audit.View("5f0c3b7e-0f53-4b38-9d0b-4a3b1f3e9d11"),
		URI:      audit.View("/apis/apps/v1/namespaces/shop/deployments/cart/status?fieldManager=a&force=true"),
		Received: at("2026-11-29T13:48:34.734856Z"), At: at("2026-11-29T13:48:35.000001Z"),
		Annotations: []audit.Annotation{
			{Key: audit.Intern("authorization.k8s.io/decision"), Value: audit.View("allow")},
			{Key: audit.Intern("authorization.k8s.io/reason"), Value: audit.View(`RBAC: allowed by "dev"`)},
		},
		Raw: audit.View(full),
	}
}

// sameEvent compares Events by what they say: no text is empty text.
var sameEvent = cmp.Options{
	cmp.Comparer(func(a, b audit.View) bool { return string(a) == string(b) }),
	cmp.Comparer(func(a, b audit.Sym) bool { return a == b }),
	cmp.Comparer(func(a, b []audit.Sym) bool { return slices.Equal(a, b) }),
	cmp.Comparer(func(a, b []audit.Annotation) bool {
		return slices.EqualFunc(a, b, func(a, b audit.Annotation) bool { return a.Key == b.Key && string(a.Value) == string(b.Value) })
	}),
}

func TestBothDecodersReadEveryField(t *testing.T) {
	for name, decoder := range map[string]eventDecoder{"fast": &fast{}, "reference": reference{}} {
		var e audit.Event
		var syms audit.Syms
		if v := decoder.decode([]byte(full), &e, &syms); v != decoded {
			t.Fatalf("%s: got %s, want decoded", name, v)
		}
		if diff := cmp.Diff(fullEvent(), &e, sameEvent); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNothingOfAnEventLeaksIntoTheNext(t *testing.T) {
	want := &audit.Event{
		Level: audit.LevelNone, Stage: audit.StagePanic, Raw: audit.View(bare),
		Received: at("2026-11-29T13:48:36.000000Z"), At: at("2026-11-29T13:48:36.000000Z"),
	}
	for name, decoder := range map[string]eventDecoder{"fast": &fast{}, "reference": reference{}, "hybrid": &hybrid{}} {
		var e audit.Event
		var syms audit.Syms
		for _, line := range []string{full, full[:len(full)-1], full, bare} {
			decoder.decode([]byte(line), &e, &syms)
		}
		if diff := cmp.Diff(want, &e, sameEvent); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestStrictAsksTheReferenceOnly(t *testing.T) {
	if _, ok := newEventDecoder(true).(reference); !ok {
		t.Error("a strict decoder is not the reference")
	}
}

func TestVerdictsTellWhatALineIs(t *testing.T) {
	for _, c := range []struct {
		what, line string
		want       verdict
	}{
		{"an event", full, decoded},
		{"an event between spaces", " \t" + full + "\r", decoded},
		{"an item of an EventList", strings.Replace(full, `"kind":"Event","apiVersion":"audit.k8s.io/v1",`, "", 1), decoded},
		{"apiVersion dropped by a shipper", strings.Replace(full, `"apiVersion":"audit.k8s.io/v1",`, "", 1), decoded},
		{"v1beta1", strings.Replace(full, "audit.k8s.io/v1", "audit.k8s.io/v1beta1", 1), decoded},
		{"a version nobody knows", strings.Replace(full, "audit.k8s.io/v1", "audit.k8s.io/v9", 1), foreign},
		{"an EventList", `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}`, foreign},
		{"a core Event", `{"kind":"Event","apiVersion":"v1","reason":"Killing","message":"x"}`, foreign},
		{"a core Event without apiVersion", `{"kind":"Event","reason":"Killing","message":"x"}`, foreign},
		{"kind is a number", `{"kind":0}`, foreign},
		{"another program's JSON", `{"level":30,"msg":"x"}`, foreign},
		{"null", `null`, foreign},
		{"an array", `[` + full + `]`, foreign},
		{"klog", `I1129 13:48:34.734856       1 httplog.go:132] "HTTP" verb="GET"`, foreign},
		{"klog that speaks of audit", `I1129 13:48:34.734856       1 flags.go:64] FLAG: --audit-log-version="audit.k8s.io/v1"`, foreign},
		{"nothing", ``, foreign},
		{"cut at its end", full[:len(full)-1], truncated},
		{"cut in a string", full[:200], truncated},
		{"torn and run together", full[:200] + full, malformed},
		{"two on a line", full + full, malformed},
		{"its beginning torn off", full[300:], malformed},
		{"brackets that don't match", strings.Replace(full, `[null,{}]`, `[null,{]}`, 1), malformed},
		{"a code that is text", strings.Replace(full, `"code":409`, `"code":"409"`, 1), malformed},
		{"a time that is none", strings.Replace(full, "13:48:34", "25:48:34", 1), malformed},
		{"a control character in a string", strings.Replace(full, "alice", "al\tice", 1), malformed},
		{"a time that no clock shows", strings.Replace(full, "2026-", "9999-", 1), malformed},
		{"no time at all", `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"None","stage":"Panic"}`, malformed},
	} {
		for name, decoder := range map[string]eventDecoder{"hybrid": &hybrid{}, "reference": reference{}} {
			if got := decoder.decode([]byte(c.line), new(audit.Event), new(audit.Syms)); got != c.want {
				t.Errorf("%s: %s: got %s, want %s", c.what, name, got, c.want)
			}
		}
	}
}
