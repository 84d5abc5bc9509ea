package analysis

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis/tally"
	"github.com/kaudit/kaudit/audit"
)

// A Client makes requests: it is a user, a program and an address.
type Client struct {
	User      audit.Sym `json:"user,omitzero"` // Event.Actor
	UserAgent audit.Sym `json:"userAgent,omitzero"`
	SourceIP  audit.Sym `json:"sourceIP,omitzero"` // Event.ClientIP
}

// clientOf returns the client that made the request.
func clientOf(e *audit.Event) Client { return Client{e.Actor(), e.UserAgent, e.ClientIP()} }

// Client returns the client that the key names.
func (k Key) Client() Client { return Client{k.User, k.UserAgent, k.SourceIP} }

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

// How much is kept of clients: totals of maxClients, some 2 MiB, and requests
// over time of maxSeries of them, at most 12 MiB.
const (
	maxClients  = 16_384
	maxSeries   = 4096
	seriesCells = 128 // 3 KiB: a minute each in a log of two hours
)

// clientFacts count requests by client: for the clients with the lowest hashes. Fewer of
// them have their requests over time counted, too.
type clientFacts struct {
	Table table[Client, clientTotal] `json:"table"`
	Below uint64                     `json:"below,omitempty"` // clients with a hash below it have Minutes; 0: all have

	series int // how many clients have Minutes
}

// minutes counts requests by minute, or by a longer step in a long log.
type minutes = tally.Cells[tally.Count]

type clientTotal struct {
	Hash     uint64     `json:"hash"` // of the client; 0 until it is set
	Requests int64      `json:"requests"`
	Errors   int64      `json:"errors,omitempty"`
	Heard    tally.Span `json:"heard"`             // when the first and the last were received
	Minutes  *minutes   `json:"minutes,omitempty"` // by the time of receipt; nil: not counted
}

func newClientFacts() clientFacts {
	return clientFacts{Table: newTable[Client, clientTotal](maxClients)}
}

func newMinutes() minutes {
	return minutes{StepMicros: time.Minute.Microseconds(), Cap: seriesCells}
}

func (f *clientFacts) observe(e *audit.Event, failed bool, row *row) {
	t := row.client
	if t == nil {
		if t = f.Table.at(clientOf(e)); t == nil {
			return
		}
		row.client = t
	}
	began := e.Began()
	t.Requests++
	t.Heard.Add(began)
	if failed {
		t.Errors++
	}
	if t.Minutes == nil && !f.follow(clientOf(e), t) {
		return
	}
	*t.Minutes.At(began)++
}

// follow begins to count a client's requests over time, if its hash is low enough, and
// reports whether it is.
func (f *clientFacts) follow(c Client, t *clientTotal) bool {
	if t.Hash == 0 {
		t.Hash = c.hash()
	}
	if f.Below != 0 && t.Hash >= f.Below {
		return false
	}
	m := newMinutes()
	t.Minutes = &m
	if f.series++; f.series >= 2*maxSeries {
		f.shrink()
	}
	return t.Minutes != nil
}

// shrink leaves Minutes to the maxSeries clients with the lowest hashes.
func (f *clientFacts) shrink() {
	var hashes []uint64
	for i := range f.Table.rows {
		t := f.Table.rows[i].value
		if t.Minutes != nil {
			hashes = append(hashes, t.Hash)
		}
	}
	if len(hashes) > maxSeries {
		slices.Sort(hashes)
		f.Below = hashes[maxSeries]
	}
	f.series = 0
	for i := range f.Table.rows {
		t := f.Table.rows[i].value
		if f.Below != 0 && t.Hash >= f.Below {
			t.Minutes = nil
		}
		if t.Minutes != nil {
			f.series++
		}
	}
}

func (f *clientFacts) merge(o *clientFacts) {
	if o.Below != 0 && (f.Below == 0 || o.Below < f.Below) {
		f.Below = o.Below
	}
	f.Table.merge(&o.Table, func(mine, theirs *clientTotal) {
		mine.Requests += theirs.Requests
		mine.Errors += theirs.Errors
		mine.Heard.Merge(theirs.Heard)
		if mine.Minutes != nil && theirs.Minutes != nil {
			mine.Minutes.Merge(theirs.Minutes)
		}
	})
	f.shrink()
}

// MarshalJSON shrinks first, so that what is written does not depend on how the log was
// split.
func (f *clientFacts) MarshalJSON() ([]byte, error) {
	f.shrink()
	type plain clientFacts
	return json.Marshal((*plain)(f))
}
