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
			command, more, _ := strings.Cut(args, " ")
			return output(t, command, more+" "+flags, log)
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

// TestWhoAgreesWithTheList counts the deeds that who tells of, and the events
// that the same flags and what the deed means choose.
func TestWhoAgreesWithTheList(t *testing.T) {
	const log = "../../fixtures/a-stuck-metadata-same/audit.log.gz"
	for _, c := range []struct{ question, list, flags string }{
		{"deleted ep/cart", "--verb delete --resource ep --name cart --code 2xx", ""},
		{"deleted ep/*", "--verb delete --resource ep --code 2xx", "-n shop"},
		{"deleted ep/cart", "--verb delete --resource ep --name cart --code 2xx", "--user !alice --since 13:50 --until 13:52"},
		{"deleted svc/*", "--verb delete --resource svc --code 2xx", "--user alice,ci-*"},
		{"created ep/checkout", "--verb create --resource ep --name checkout --code 2xx", "--user-agent kube-controller-manager/*"},
		{"changed rs/*", "--verb update,patch --resource rs --subresource !status --code 2xx", "--source-ip 10.0.*"},
		{"changed cm/*", "--verb update,patch --resource cm --code 2xx", "--slower-than 20ms"},
		{"denied po/*", "--resource po --code 401,403", "--user system:node:*3,system:node:*4"},
	} {
		var story struct {
			Answers []struct{ Times int }
		}
		answer := output(t, "who", c.question+" "+c.flags+" -o json", log)
		if err := json.Unmarshal(answer, &story); err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, a := range story.Answers {
			told += a.Times
		}
		listed := bytes.Count(output(t, "events", "--all "+c.list+" "+c.flags, log), []byte("\n")) - 1 // without the head
		if told != listed || listed < 1 {
			t.Errorf("who %s %s tells of %d deeds, events lists %d", c.question, c.flags, told, listed)
		}
	}
}

// output is what a command writes about a log.
func output(t *testing.T, command, args, log string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), "kaudit", append(append([]string{command}, strings.Fields(args)...), log), strings.NewReader(""), &stdout, &stderr); status != 0 {
		t.Fatalf("%s %s: %d %s", command, args, status, &stderr)
	}
	return stdout.Bytes()
}
