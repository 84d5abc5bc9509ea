package main

import (
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis/driver"
)

func TestFilesWithNULsAreNoted(t *testing.T) {
	notes := nulNotes([]driver.Source{{Name: "clean.log"}, {Name: "audit.log", Nuls: 65536}})
	if len(notes) != 1 || notes[0].Kind != "nul-bytes" || !strings.HasPrefix(notes[0].Text, "audit.log has 65536 NUL bytes") {
		t.Errorf("got %+v, want a note on audit.log alone", notes)
	}
}
