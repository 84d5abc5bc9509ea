package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Client is who talks to the API server: on whose behalf, with which
// program, from which address.
type Client struct {
	User      audit.Sym `json:"user,omitzero"` // Event.Actor
	UserAgent audit.Sym `json:"userAgent,omitzero"`
	SourceIP  audit.Sym `json:"sourceIP,omitzero"` // Event.ClientIP
}

// ClientOf returns the client that made the request.
func ClientOf(e *audit.Event) Client { return Client{e.Actor(), e.UserAgent, e.ClientIP()} }

func (c Client) hash() uint64 {
	return tally.Mix(tally.Mix(tally.Hash(c.User.String()), tally.Hash(c.UserAgent.String())),
		tally.Hash(c.SourceIP.String()))
}

func (c Client) compare(o Client) int {
	return cmp.Or(
		strings.Compare(c.User.String(), o.User.String()),
		strings.Compare(c.UserAgent.String(), o.UserAgent.String()),
		strings.Compare(c.SourceIP.String(), o.SourceIP.String()),
	)
}

// maxWriters is how many writers are told apart: what is asked is whether
// there was one.
const maxWriters = 4

// writers are the clients that wrote. Of more than maxWriters none is kept but
// that there are many.
type writers struct {
	List []Client `json:"list,omitempty"`
	Many bool     `json:"many,omitempty"`
}

func (w *writers) add(c Client) {
	if w.Many || slices.Contains(w.List, c) {
		return
	}
	if len(w.List) == maxWriters {
		*w = writers{Many: true}
		return
	}
	w.List = append(w.List, c)
}

func (w *writers) merge(o *writers) {
	if o.Many {
		*w = writers{Many: true}
		return
	}
	for _, c := range o.List {
		w.add(c)
	}
}

// sorted returns the writers in order, and whether these are all.
func (w *writers) sorted() ([]Client, bool) {
	return slices.SortedFunc(slices.Values(w.List), Client.compare), !w.Many
}
