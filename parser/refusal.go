package parser

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"

	kjson "sigs.k8s.io/json"

	"github.com/kaudit/kaudit/parser/serverlog"
)

// A Refusal is a record that was refused, as it stands in the log. It is valid
// until the next one.
type Refusal struct {
	Refused
	Text []byte // what was refused, without its carriers; of what is too long, how it begins, and nil of more of it
	Raw  []byte // the lines that hold it, but for those that a Refusal before had; of a line that is too long only with Options.Long
	More bool   // the next one has more of what is too long
}

func (d *Decoder) refuse(kind Kind, t *text) {
	d.stats.Looks |= t.shapes.with(looksLike(kind, t))
	d.stats.Skipped[kind]++
	first := d.stats.Skipped[kind] <= maxRefused
	if !first && d.Refuse == nil {
		return
	}
	r := Refused{Kind: kind, Offset: t.offset, Line: int(d.chunk.before) + t.line}
	if first {
		r.Why = d.why(kind, t)
		d.stats.Refused = append(d.stats.Refused, r)
	}
	if d.Refuse != nil {
		if len(d.chunk.oversized) > 0 && kind == Oversize && !t.long {
			d.Refuse(Refusal{r, t.data, d.chunk.long, d.chunk.goesOn})
		} else {
			d.Refuse(Refusal{r, t.data, d.rawLines(t), d.tooLong && d.goesOn})
		}
	}
}

// mostNested is how deep the values may be nested that Kubernetes' own JSON reads.
const mostNested = 10_000

// isTooDeep reports whether an object is closed where it ends, with more nested
// in it than Kubernetes' own JSON reads.
func isTooDeep(b []byte) bool {
	depth, deepest := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			after := skipString(b, i+1)
			if after < 0 {
				return false
			}
			i = after - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			if depth--; depth == 0 {
				return i == len(b)-1 && deepest > mostNested
			}
		}
	}
	return false
}

// rawLines returns the lines that hold a text, with their ends, as far as they
// were not returned before.
func (d *Decoder) rawLines(t *text) []byte {
	c := d.chunk
	if t.data == nil {
		return nil
	}
	if c.document {
		if d.span == d.handed {
			return nil
		}
		d.handed = d.span
		s := c.spans[d.span-1]
		return c.Data[s.start:s.end]
	}
	from := min(max(int(t.offset-c.Offset), 0), d.pos)
	from = max(bytes.LastIndexByte(c.Data[:from], '\n')+1, d.handed)
	if from >= d.pos {
		return nil
	}
	d.handed = d.pos
	return c.Data[from:d.pos]
}

var otherKind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"kind"\s*:\s*"([A-Za-z]{1,64})"`) })

// lookSize is how much of a text is looked at to say what it is.
const lookSize = 1024

// why says what was refused, and why.
func (d *Decoder) why(kind Kind, t *text) string {
	switch kind {
	case OwnLog:
		return "the own log of an API server or kubelet, where it says nothing of use here"
	case Oversize:
		return "longer than --max-line allows: passed over; a larger --max-line reads it"
	case Truncated:
		return whyTruncated(t.data)
	case Malformed:
		return whyMalformed(t.data)
	}
	return d.whyForeign(t)
}

// whyTruncated says what ends too early.
func whyTruncated(b []byte) string {
	switch {
	case len(b) == 0 || b[0] == '[':
		return "a list that ends before it is closed"
	case b[0] != '{':
		return "an audit event in the text form that ends before it is whole"
	}
	return "a JSON object that ends before it is whole"
}

// whyMalformed says why what speaks of an audit event can't be read.
func whyMalformed(b []byte) string {
	switch {
	case isMarkup(b[:min(len(b), lookSize)]):
		return "an audit event inside of XML or HTML that no carrier explains"
	case len(b) > 0 && b[0] == '{' && isOneValue(b):
		return whyNoEvent(b)
	case isTooDeep(b):
		return "an audit event with values nested too deep to be read"
	}
	return "parts of an audit event, torn or run together"
}

// whyNoEvent says why an audit event that is whole JSON can't be read.
func whyNoEvent(raw []byte) string {
	var rec record
	if kjson.UnmarshalCaseSensitivePreserveInts(raw, &rec) == nil {
		received, at, _ := rec.times()
		switch latest := max(received, at); {
		case min(received, at) < 0:
			return fmt.Sprintf("an audit event of the year %d, which was before Kubernetes", min(received, at).Std().Year())
		case latest >= dawn:
			return fmt.Sprintf("an audit event of the year %d, which no clock shows", latest.Std().Year())
		case latest == 0:
			return "an audit event without a time"
		}
	}
	return "an audit event with a field that Kubernetes would not read"
}

// whyForeign says what else it is.
func (d *Decoder) whyForeign(t *text) string {
	head := t.data[:min(len(t.data), lookSize)]
	switch {
	case t.shapes.Has(RancherAudit):
		return "a record of Rancher's own audit log, which is no audit event of Kubernetes"
	case t.shapes.Has(KubeAuditREST):
		return "a record of kube-audit-rest, which is no audit event of Kubernetes"
	case serverlog.HasHeader(head):
		return "a line of a component's own log (klog)"
	case len(head) > 0 && head[0] == '{':
		return d.whyOtherJSON(head)
	case isMarkup(head):
		return "markup of XML or HTML, with no event in it"
	case csvHeadOf(head) != nil:
		return "the names of a CSV's columns"
	case isCSVRow(head):
		return "a row of a CSV; no line above it names its columns, as an export with headers does"
	}
	return "text that is no JSON"
}

func (d *Decoder) whyOtherJSON(head []byte) string {
	if m := otherKind().FindSubmatch(head); m != nil && string(m[1]) != "Event" {
		return "JSON of kind " + string(m[1])
	}
	if d.Only != 0 && bytes.Contains(head, []byte("audit.k8s.io")) {
		return "an event of another carrier than --format says"
	}
	return "JSON that is no audit event"
}
