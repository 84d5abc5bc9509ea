// Package servererror finds requests that fail because something that the API
// server needs does not serve it: a webhook, the conversion of a custom resource,
// an aggregated API, etcd, the key of what is encrypted.
//
// A state holds the failures of one cause: of one webhook, of one resource that
// can't be converted, of one API group that nobody serves.
package servererror

import (
	"bytes"
	_ "embed"
	"strings"
	"time"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
)

//go:embed doc.md
var doc string

// The options. See doc.md for why they are what they are.
const (
	optFailures = "failures"
	optWindow   = "window"
	optLasting  = "lasting"
	optLeast    = "least"
)

// New returns the analyzer.
func New() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "server-error",
		Doc:  doc,
		Options: []analysis.Option{
			{Name: optFailures, Default: 10, Unit: "requests", Doc: "So many that failed within the window are a warning: controllers back off, and come back more and more seldom."},
			{Name: optWindow, Default: 10 * time.Minute, NotZero: true, Doc: "The window, within the 16 minutes at which a controller's backoff ends."},
			{Name: optLasting, Default: 30 * time.Second, Doc: "Failures that are over sooner are for information: a pod was restarted."},
			{Name: optLeast, Default: 3, Unit: "requests", Doc: "Fewer in all are not worth a line."},
		},
		Needs: analysis.Needs{Level: audit.LevelMetadata, Stages: []audit.Stage{audit.StageResponseComplete}},
		Wants: []audit.Class{audit.Class5xx | audit.ClassComplete | audit.ClassShort | audit.ClassResource},
		Keys:  keys,
		New:   func() analysis.State { return newState() },
	}
}

// The kinds of states and of findings: details.kind.
var (
	kindWebhook    = audit.Intern("webhook")
	kindPlugin     = audit.Intern("plugin")
	kindConversion = audit.Intern("conversion")
	kindAggregated = audit.Intern("aggregated")
	kindStorage    = audit.Intern("storage")
	kindEncryption = audit.Intern("encryption")
	kindError      = audit.Intern("error")
)

// keys tells failures apart by what did not serve: one webhook, whatever it was
// asked about; all of etcd; else what was asked for.
func keys(e *audit.Event, keys []analysis.Key) []analysis.Key {
	kind, name := causeOf(e)
	switch kind {
	case audit.Sym{}:
		return keys
	case kindWebhook, kindPlugin:
		return append(keys, analysis.Key{Kind: kind, Name: analysis.NameOf(name)})
	case kindStorage:
		return append(keys, analysis.Key{Kind: kind})
	case kindAggregated:
		return append(keys, analysis.Key{Kind: kind, Group: e.Group})
	}
	return append(keys, analysis.Key{Kind: kind, Group: e.Group, Resource: e.Resource})
}

// What the API server says of failures: apiserver pkg/admission/plugin/webhook and
// pkg/util/webhook, apiextensions-apiserver pkg/apiserver/conversion, apiserver
// pkg/storage/etcd3, etcd api/v3rpc/rpctypes.
var (
	textWebhook    = []byte("failed calling webhook ")
	textAdmission  = []byte("failed calling admission webhook ") // before Kubernetes 1.13
	textConversion = []byte("conversion webhook for ")
	textPlugin     = []byte("admission plugin ")
	textLate       = []byte(" failed to complete ") // OpenShift: admissiontimeout, after 13 s
	textEtcd       = []byte("etcdserver: ")
	textCanceled   = []byte("context canceled")
)

// textDEK is in what the API server says when a KMS plugin can't encrypt or decrypt
// the key of an object: apiserver pkg/storage/value/encrypt/envelope. The plugin's
// own error follows, which may be any of gRPC.
var textDEK = []byte("crypt DEK, error: ")

// encryption is what else it says of what can't be encrypted or decrypted:
// apiserver pkg/storage/etcd3, pkg/storage/value and
// pkg/server/options/encryptionconfig.
var encryption = [][]byte{
	[]byte("unable to transform key "), []byte("no matching key was found for the provided "),
	[]byte("identity transformer tried to read encrypted data"), []byte("got unexpected nil transformer"),
}

// others are told of by others: what timed out or was given up (request-timeout,
// slow-request), and what happens while etcd is away (request-timeout).
var others = [][]byte{
	[]byte("context deadline exceeded"), textCanceled, []byte("Client.Timeout exceeded"), []byte("i/o timeout"),
	[]byte("etcdserver: request timed out"), []byte("rpc error: "), []byte("Too large resource version"),
}

// causeOf returns why a request failed, of a webhook its name; an empty kind if
// that is another analyzer's.
func causeOf(e *audit.Event) (kind audit.Sym, name []byte) {
	if e.Code > 503 {
		return kind, nil
	}
	if !bytes.Contains(e.Message, textCanceled) {
		switch { // whatever is said of the call, a timeout too
		case bytes.Contains(e.Message, textDEK):
			return kindEncryption, nil
		case bytes.Contains(e.Message, textConversion):
			return kindConversion, nil
		}
	}
	if containsAny(e.Message, others) {
		return kind, nil
	}
	for _, text := range [][]byte{textWebhook, textAdmission} {
		if _, rest, ok := bytes.Cut(e.Message, text); ok {
			return kindWebhook, quoted(rest)
		}
	}
	if _, rest, ok := bytes.Cut(e.Message, textPlugin); ok && bytes.Contains(rest, textLate) {
		return kindPlugin, quoted(rest)
	}
	switch {
	case containsAny(e.Message, encryption):
		return kindEncryption, nil
	case bytes.Contains(e.Message, textEtcd):
		return kindStorage, nil
	case unserved(e):
		return kindAggregated, nil
	}
	return kindError, nil
}

func containsAny(message []byte, texts [][]byte) bool {
	for _, text := range texts {
		if bytes.Contains(message, text) {
			return true
		}
	}
	return false
}

// unserved reports whether nobody serves an API group: kube-aggregator
// pkg/apiserver/handler_proxy.go answers 503 in plain text, of which the log has
// no message. Groups that have no dot are the API server's own.
func unserved(e *audit.Event) bool {
	return e.Code == 503 && len(e.Message) == 0 && strings.Contains(e.Group.String(), ".")
}

// maxName bounds what is taken for a webhook's name.
const maxName = 253

// quoted returns what stands in quotes at the beginning of a text.
func quoted(text []byte) []byte {
	rest, ok := bytes.CutPrefix(text, []byte(`"`))
	name, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed || len(name) > maxName {
		return nil
	}
	return name
}
