package analysis

import (
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// SameAs reports whether two clients are one program, as far as a log can
// tell: they act as one user, or are the same product at one address. A
// controller-manager acts as a user for each of its controllers.
func (c Client) SameAs(o Client) bool {
	if c.User == o.User && c.User != (audit.Sym{}) {
		return true
	}
	product := c.product()
	return product != "" && product == o.product() && c.SourceIP == o.SourceIP
}

// product returns what a user agent calls its program, with the version.
func (c Client) product() string {
	product, _, _ := strings.Cut(c.UserAgent.String(), " ")
	return product
}
