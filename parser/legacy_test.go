package parser

import (
	"testing"

	"github.com/kaudit/kaudit/audit"
)

func TestOldEventsHaveATimeAndNoLatency(t *testing.T) {
	const head = `{"kind":"Event","apiVersion":"audit.k8s.io/v1beta1","level":"Metadata","stage":"ResponseComplete","auditID":"1",`
	for _, c := range []struct {
		what, members string
		received, at  string
		coarse        bool
	}{
		{
			"v1alpha1: whole seconds in the old places",
			`"metadata":{"creationTimestamp":"2017-09-11T19:55:06Z"},"timestamp":"2017-09-11T19:55:05Z"}`,
			"2017-09-11T19:55:05Z", "2017-09-11T19:55:06Z", true,
		},
		{
			"v1beta1 of 1.8 to 1.11: old and new stamps",
			`"metadata":{"creationTimestamp":"2018-10-26T13:42:46Z"},"timestamp":"2018-10-26T13:42:46Z",` +
				`"requestReceivedTimestamp":"2018-10-26T13:42:46.764713Z","stageTimestamp":"2018-10-26T13:42:46.808261Z"}`,
			"2018-10-26T13:42:46.764713Z", "2018-10-26T13:42:46.808261Z", false,
		},
		{
			"new stamps as zero",
			`"timestamp":"2018-10-26T13:42:46Z","requestReceivedTimestamp":null,"stageTimestamp":null}`,
			"2018-10-26T13:42:46Z", "2018-10-26T13:42:46Z", true,
		},
		{
			"a shipper's metadata and timestamp beside v1's stamps",
			`"metadata":7,"timestamp":1792.5,"requestReceivedTimestamp":"2026-11-29T13:48:34.734856Z","stageTimestamp":"2026-11-29T13:48:35.734856Z"}`,
			"2026-11-29T13:48:34.734856Z", "2026-11-29T13:48:35.734856Z", false,
		},
		{
			"nanoseconds and a zone",
			`"requestReceivedTimestamp":"2026-11-29T13:48:34.734856999Z","stageTimestamp":"2026-11-29T15:48:35.734856+02:00"}`,
			"2026-11-29T13:48:34.734856Z", "2026-11-29T13:48:35.734856Z", false,
		},
		{
			"a shipper that rounds to seconds",
			`"requestReceivedTimestamp":"2026-11-29T13:48:34Z","stageTimestamp":"2026-11-29T13:48:35Z"}`,
			"2026-11-29T13:48:34Z", "2026-11-29T13:48:35Z", true,
		},
		{
			"the epoch, where a clock was never set",
			`"requestReceivedTimestamp":"1970-01-01T00:00:00.000000Z","stageTimestamp":"1970-01-01T00:00:00.000000Z"}`,
			"1970-01-01T00:00:00.000001Z", "1970-01-01T00:00:00.000001Z", false,
		},
	} {
		var e audit.Event
		if v := new(hybrid).decode([]byte(head+c.members), &e, new(audit.Syms)); v != decoded {
			t.Errorf("%s: got %s", c.what, v)
			continue
		}
		if e.Received != at(c.received) || e.At != at(c.at) || e.Coarse != c.coarse {
			t.Errorf("%s: got %s, %s, coarse %t; want %s, %s, %t", c.what, e.Received, e.At, e.Coarse, c.received, c.at, c.coarse)
		}
		if _, ok := e.Latency(); ok == c.coarse {
			t.Errorf("%s: has latency: %t", c.what, ok)
		}
	}
}

func TestAnOldObjectReferenceHoldsGroupAndVersionInOne(t *testing.T) {
	const line = `{"kind":"Event","apiVersion":"audit.k8s.io/v1alpha1","level":"Metadata","stage":"ResponseComplete",` +
		`"timestamp":"2017-09-11T19:55:05Z","objectRef":{"resource":"deployments","apiVersion":"apps/v1beta1"}}`
	var e audit.Event
	new(hybrid).decode([]byte(line), &e, new(audit.Syms))
	if e.Group.String() != "apps" || e.Version.String() != "v1beta1" {
		t.Errorf("got group %q, version %q", e.Group, e.Version)
	}
}

func TestTheAuditLevelIsFoundWhereAShipperMovedIt(t *testing.T) {
	for _, key := range []string{"k8s_audit_level", "openshift_audit_level"} {
		line := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"default","` + key + `":"Metadata","stage":"ResponseComplete",` +
			`"stageTimestamp":"2026-11-29T13:48:34.734856Z","requestReceivedTimestamp":"2026-11-29T13:48:34.734856Z"}`
		var e audit.Event
		new(hybrid).decode([]byte(line), &e, new(audit.Syms))
		if e.Level != audit.LevelMetadata {
			t.Errorf("%s: got level %q", key, e.Level)
		}
	}
}
