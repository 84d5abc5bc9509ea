package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/audit"
)

// told returns what the events of an input say, a line each.
func told(t *testing.T, input string) string {
	t.Helper()
	var out strings.Builder
	var chunk Chunk
	var d Decoder
	r := NewReader([]*Log{NewLog("f", strings.NewReader(input))}, Options{Ordered: true})
	defer r.Close()
	for r.Next(t.Context(), &chunk) == nil {
		for d.Reset(&chunk); d.Next(); {
			out.WriteString(tell(d.Event()) + "\n")
		}
	}
	return out.String()
}

func tell(e *audit.Event) string {
	fields := []string{
		e.AuditID.String(), e.Level.String(), e.Stage.String(), e.Verb.String(), e.User.String(), fmt.Sprint(e.SourceIPs), e.UserAgent.String(),
		e.URI.String(), fmt.Sprintf("%s/%s/%s/%s/%s/%s", e.Group, e.Version, e.Namespace, e.Resource, e.Name, e.Subresource),
		fmt.Sprint(e.Code), e.Reason.String(), e.Received.String(), e.At.String(),
	}
	for _, a := range e.Annotations {
		fields = append(fields, a.Key.String()+"="+a.Value.String())
	}
	return strings.Join(fields, " | ")
}

func TestARowOfATableIsTheEventThatItTells(t *testing.T) {
	cases := carrierCases(t)
	for name, want := range map[string]string{
		"aks-table": `a | Metadata | ResponseComplete | create | alice | [192.0.2.7] | kubectl | /api/v1/namespaces/shop/pods | /v1/shop/pods// | 201 |  | 2026-01-05T09:00:00.100000Z | 2026-01-05T09:00:00.123456Z | authorization.k8s.io/decision=allow
b | Metadata | ResponseComplete | list | bob | [192.0.2.8] |  | /api/v1/pods | ///pods// | 200 |  | 2026-01-05T09:00:00.100000Z | 2026-01-05T09:00:00.123000Z
`,
		"sls": `a | Metadata | ResponseComplete | list | alice | [192.0.2.7] | kubectl | /api/v1/pods | /v1//pods// | 200 |  | 2026-01-05T09:00:00.100000Z | 2026-01-05T09:00:00.123456Z | authorization.k8s.io/decision=allow
`,
	} {
		if diff := cmp.Diff(want, told(t, cases[name]["input"])); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// gkeEntryOf writes an entry of Cloud Logging.
func gkeEntryOf(method, resource, more, operation string) string {
	return `{"protoPayload":{"authenticationInfo":{"principalEmail":"alice"},"methodName":"io.k8s.` + method + `","resourceName":"` + resource +
		`","requestMetadata":{"callerIp":"192.0.2.7","callerSuppliedUserAgent":"kubectl"}` + more +
		`},"timestamp":"2026-01-05T09:00:00.123456Z","insertId":"i","operation":{"id":"a",` + operation + "}}\n"
}

// TestAnEntryOfCloudLoggingHasOneTime: no receipt is invented for it, and codes
// are those of HTTP.
func TestAnEntryOfCloudLoggingHasOneTime(t *testing.T) {
	const once, first, last = `"first":true,"last":true`, `"first":true`, `"last":true`
	for _, c := range []struct{ entry, want string }{
		{
			gkeEntryOf("core.v1.pods.get", "core/v1/namespaces/shop/pods/web-0", `,"status":{"code":5,"message":"gone"}`, once),
			"Metadata | ResponseComplete | get | alice | [192.0.2.7] | kubectl | /api/v1/namespaces/shop/pods/web-0 | /v1/shop/pods/web-0/ | 404 |  |  | 2026-01-05T09:00:00.123456Z",
		},
		{
			gkeEntryOf("coordination.v1.leases.update", "coordination.k8s.io/v1/namespaces/x/leases/y",
				`,"status":{"code":10},"request":{"a":1},"response":{"@type":"core.k8s.io/v1.Status","code":409,"status":"Failure","reason":"Conflict"}`, once),
			"RequestResponse | ResponseComplete | update | alice | [192.0.2.7] | kubectl | /apis/coordination.k8s.io/v1/namespaces/x/leases/y | coordination.k8s.io/v1/x/leases/y/ | 409 | Conflict |  | 2026-01-05T09:00:00.123456Z",
		},
		{
			gkeEntryOf("core.v1.pods.exec.create", "core/v1/namespaces/shop/pods/web-0/exec", "", first),
			"Metadata | ResponseStarted | create | alice | [192.0.2.7] | kubectl | /api/v1/namespaces/shop/pods/web-0/exec | /v1/shop/pods/web-0/exec | 101 |  |  | 2026-01-05T09:00:00.123456Z",
		},
		{
			gkeEntryOf("core.v1.namespaces.delete", "core/v1/namespaces/shop", `,"status":{"code":7}`, last),
			"Metadata | ResponseComplete | delete | alice | [192.0.2.7] | kubectl | /api/v1/namespaces/shop | /v1/shop/namespaces/shop/ | 403 |  |  | 2026-01-05T09:00:00.123456Z",
		},
		{
			gkeEntryOf("get", "readyz", "", once),
			"Metadata | ResponseComplete | get | alice | [192.0.2.7] | kubectl | /readyz | ///// | 200 |  |  | 2026-01-05T09:00:00.123456Z",
		},
	} {
		if diff := cmp.Diff("a | "+c.want+"\n", told(t, c.entry)); diff != "" {
			t.Error(diff)
		}
	}
}

// oddEntries are entries of Cloud Logging with wrong types, huge numbers,
// nothing where something is wanted, and deep nesting. What is left of GET is
// an entry's usual beginning, of END its end.
var oddEntries = []struct{ entry, want string }{
	{`[1,2],END`, ""},
	{`"x",END`, ""},
	{`null,END`, ""},
	{`{},END`, ""},
	{`{"methodName":7,"resourceName":"core/v1/pods"},END`, ""},
	{`{GET,"status":{"code":"5"}},END`, ""},
	{`{GET,"status":{"code":1e400}},END`, ""},
	{`{GET,"status":{"code":99999999999999999999}},END`, ""},
	{`{GET},"timestamp":"yesterday"`, ""},
	{`{GET},"timestamp":1e99`, ""},
	{`{GET},"timestamp":{}`, ""},
	{`{GET},"labels":{"a":{"b":1}},END`, ""},
	{`{GET},"operation":[],"timestamp":"2026-01-05T09:00:00.123456Z"`, ""},
	{`{GET,"response":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000) + `},END`, ""},
	{`{GET,"status":{"code":-3}},END`, "get /api/v1/namespaces/shop/pods/web-0 500"},
	{`{GET,"status":{"code":4096}},END`, "get /api/v1/namespaces/shop/pods/web-0 500"},
	{`{GET,"response":` + strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40) + `},END`, "get /api/v1/namespaces/shop/pods/web-0 200"},
	{`{GET,"request":"text","response":[7]},END`, "get /api/v1/namespaces/shop/pods/web-0 200"},
	{`{"methodName":"io.k8s.","resourceName":""},END`, " / 200"},
	{`{"methodName":"io.k8s.x","resourceName":"////////"},END`, "x /apis///////// 200"},
}

func oddEntry(text string) string {
	return `{"protoPayload":` + strings.NewReplacer(
		"GET", `"methodName":"io.k8s.core.v1.pods.get","resourceName":"core/v1/namespaces/shop/pods/web-0"`,
		"END", `"timestamp":"2026-01-05T09:00:00.123456Z","insertId":"a"`,
	).Replace(text) + "}\n"
}

func TestAnOddEntryOfCloudLoggingIsReadOrRefused(t *testing.T) {
	for _, c := range oddEntries {
		var d Decoder
		got := ""
		for d.Reset(&Chunk{Log: &Log{}, Part: &Part{}, Data: []byte(oddEntry(c.entry)), maxLine: 1 << 20}); d.Next(); {
			e := d.Event()
			got += fmt.Sprintf("%s %s %d", e.Verb, e.URI, e.Code)
		}
		if refused := d.Stats().Skipped[Foreign]; got != c.want || (got == "") != (refused == 1) {
			t.Errorf("%.100s: got %q and %d refused, want %q", c.entry, got, refused, c.want)
		}
	}
}
