package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestFormatsAreAsTheirSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/formats.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	const log = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete","requestURI":"/","verb":"get","stageTimestamp":"2026-11-29T13:00:00.000000Z"}` +
		"\nI1129 13:00:00.000000 1 x.go:1] \"x\"\n{\"kind\":\"Event\",\n"
	var out, complaints bytes.Buffer
	if status := run(t.Context(), "kaudit", []string{"formats", "-o", "json", "-"}, strings.NewReader(log), &out, &complaints); status != exitOK {
		t.Fatalf("exit status %d: %s", status, &complaints)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var list formatsList
	if err := json.Unmarshal(out.Bytes(), &list); err != nil || len(list.Files) != 1 || len(list.Files[0].Refused) != 2 {
		t.Errorf("got %v, %+v; want a file with two kinds of refusal", err, list)
	}
}

// TestAnExampleShowsNoSecret: what is refused may be anything, a line with a
// password in it, too.
func TestAnExampleShowsNoSecret(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"kind":"Event","level":"Metadata","requestURI":"/x?token=abc","user":{"username":"alice","groups":["dev"]},"code":200`, `{"kind":"Event","level":"Metadata","requestURI":"…","user":{"username":"…","groups":["…"]},"code":200`},
		{`I1129 13:00:00.1 1 httplog.go:1] "HTTP" verb="LIST" URI="/api/v1/secrets?fieldSelector=x" resp=200`, `I1129 13:00:00.1 1 httplog.go:1] "HTTP" verb="LIST" URI="…" resp=200`},
		{`curl -H Authorization: Bearer abc.def -d password=hunter2 https://h/p?sig=1`, `curl -H Authorization: … … -d password=… https://h/p?…`},
		{"export K8S_TOKEN=xyz; eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ.e30.c2ln", "export K8S_TOKEN=…; …"},
		{`export DB_PASSWORD='hunter2secret'`, `export DB_PASSWORD=…`},
		{`export DB_URL='postgres://app:hunter2@db/shop' 'a b'`, `export DB_URL=… '…'`},
		{"MYSQL=root:hunter2@db mysql -u root -phunter2secret", "MYSQL=… mysql -u root …"},
		{"the password is hunter; user: `bob`", "the password is …; user: `…`"},
		{"X-Auth: hunter two", "X-Auth: …"},
		{"login alice:hunter at https://alice:hunter@h/p", "login alice:… at https://…@h/p"},
		{"2026-01-05T09:00:00.123456789Z 12:30:01 can't write to disk, isn't it full", "2026-01-05T09:00:00.123456789Z 12:30:01 can't write to disk, isn't it full"},
		{`{"data":{"password":"cGFzcw`, `{"data":{"password":"…"`},
		{`secret of a torn line","kind":"Secret"`, `secret … a torn line…`},
		{"\x1b[31mred\x1b]8;;http://x\x07 \u202etext", `\x1b[31mred\x1b]8;;http://x\x07 \u202etext`},
		{strings.Repeat("word ", 100), strings.Repeat("word ", 40) + "…"},
		{strings.Repeat(`"a"`, 10<<20), strings.Repeat(`"…"`, 66) + `"…`[:1] + "……"},
	} {
		if got := redact(c.text[:min(len(c.text), 4096)]); got != c.want {
			t.Errorf("%.80q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}
