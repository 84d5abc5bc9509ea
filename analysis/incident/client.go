package incident

import (
	"cmp"
	"strings"

	"github.com/kaudit/kaudit/analysis"
)

// client names whom a finding is about: the program, or the user if the program is
// unknown, and the address.
func client(f *analysis.Finding) string {
	program, _, _ := strings.Cut(f.Subject.UserAgent, "/")
	who := cmp.Or(program, f.Subject.User, "a client")
	if f.Subject.SourceIP != "" {
		who += " at " + f.Subject.SourceIP
	}
	return who
}
