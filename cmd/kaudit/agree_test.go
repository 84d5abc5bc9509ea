package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCommandsAgreeWhatAFilterChooses counts the requests of a log that flags
// choose, in the ways that the commands have.
func TestCommandsAgreeWhatAFilterChooses(t *testing.T) {
	const log = "../../fixtures/a-stuck-metadata-same/audit.log.gz"
	for _, flags := range []string{"--code !2xx", "--code !/^2/", "--code 4*", "--verb create --name !cart", "--verb create --name !*", "--verb delete --as !*"} {
		ask := func(args string) []byte {
			var stdout, stderr bytes.Buffer
			if status := run(t.Context(), "kaudit", strings.Fields(args+" "+log+" "+flags), strings.NewReader(""), &stdout, &stderr); status != 0 {
				t.Fatalf("%s %s: %d %s", args, flags, status, &stderr)
			}
			return stdout.Bytes()
		}
		var top struct {
			Total struct{ Requests int }
		}
		var story struct {
			Entries []struct{ Times int }
		}
		if err := json.Unmarshal(ask("top verb -o json"), &top); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(ask("timeline -o json"), &story); err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, e := range story.Entries {
			told += e.Times
		}
		raw := ask("events -o raw")
		ended := bytes.Count(raw, []byte(`"stage":"ResponseComplete"`))
		listed := bytes.Count(ask("events --all"), []byte("\n")) - 1 // without the head
		got := fmt.Sprintf("top %d, timeline %d, events %d, scan %s", top.Total.Requests, told, listed, bytes.TrimSpace(ask("scan --jq .input.selected")))
		want := fmt.Sprintf("top %d, timeline %[1]d, events %[1]d, scan %d", ended, bytes.Count(raw, []byte("\n")))
		if got != want || ended == 0 {
			t.Errorf("%s: got %s, want %s", flags, got, want)
		}
	}
}
