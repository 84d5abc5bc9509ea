package servererror

import (
	"bytes"
	"slices"

	"github.com/kaudit/kaudit/audit"
)

// What the API server says of failures: apiserver pkg/admission/plugin/webhook and
// pkg/util/webhook, apiextensions-apiserver pkg/apiserver/conversion, kube-aggregator
// pkg/apiserver. A message is known by how it begins: what follows holds names and
// other servers' words, which anybody may choose.
var (
	textInternal   = []byte("Internal error occurred: ")
	textWebhook    = []byte("failed calling webhook ")
	textAdmission  = []byte("failed calling admission webhook ") // before Kubernetes 1.13
	textConversion = []byte("conversion webhook for ")
	textPlugin     = []byte("admission plugin ")
	textLate       = []byte(" failed to complete ") // OpenShift: admissiontimeout, after 13 s
	textUnreached  = []byte("error trying to reach service: ")
	textCanceled   = []byte("context canceled")
)

// encryption is what it says of what can't be encrypted or decrypted: apiserver
// pkg/storage/etcd3, pkg/storage/value and pkg/server/options/encryptionconfig. An
// error of a KMS plugin follows "DEK".
var encryption = [][]byte{
	[]byte("unable to transform key "), []byte("no matching key was found for the provided "),
	[]byte("identity transformer tried to read encrypted data"), []byte("got unexpected nil transformer"),
	[]byte("failed to encrypt DEK"), []byte("failed to decrypt DEK"),
}

// storage is what etcd says when it takes no requests, whatever they ask for: etcd
// api/v3rpc/rpctypes, and gRPC where nobody listens.
var storage = [][]byte{
	[]byte("etcdserver: mvcc: database space exceeded"), []byte("etcdserver: no space"),
	[]byte("etcdserver: no leader"), []byte("etcdserver: not leader"), []byte("etcdserver: leader changed"),
	[]byte("etcdserver: too many requests"), []byte("etcdserver: unhealthy cluster"), []byte("etcdserver: corrupt cluster"),
	[]byte("rpc error: code = Unavailable desc = connection error"),
}

// timeouts are in what slow-request tells of where a webhook was called.
var timeouts = [][]byte{[]byte("context deadline exceeded"), []byte("Client.Timeout exceeded"), []byte("i/o timeout")}

// away is in what request-timeout tells of: etcd that does not answer.
var away = [][]byte{
	[]byte("etcdserver: request timed out"), []byte("rpc error: code = Unavailable"), []byte("rpc error: code = DeadlineExceeded"),
	[]byte("Too large resource version"),
}

// causeOf returns why a request failed, of a webhook or an admission plugin its name;
// an empty kind if that is another analyzer's.
func causeOf(e *audit.Event) (kind audit.Sym, name []byte) {
	said := bytes.TrimPrefix(e.Message, textInternal)
	if e.Code > 503 || bytes.Contains(said, textCanceled) {
		return kind, nil
	}
	for _, text := range [][]byte{textWebhook, textAdmission} {
		if rest, ok := bytes.CutPrefix(said, text); ok {
			if containsAny(rest, timeouts) {
				return kind, nil
			}
			return kindWebhook, quoted(rest)
		}
	}
	if rest, ok := bytes.CutPrefix(said, textPlugin); ok && bytes.Contains(rest, textLate) {
		return kindPlugin, quoted(rest)
	}
	switch {
	case bytes.HasPrefix(said, textConversion):
		return kindConversion, nil
	case beginsAny(said, encryption):
		return kindEncryption, nil
	case beginsAny(said, storage):
		return kindStorage, nil
	case unserved(e, said):
		return kindAggregated, nil
	case containsAny(said, timeouts), containsAny(said, away):
		return kind, nil
	}
	return kindError, nil
}

// unserved reports whether nobody serves an API group: kube-aggregator
// pkg/apiserver/handler_proxy.go answers 503 in plain text, of which the log has no
// message, or says that it did not reach the group's Service.
func unserved(e *audit.Event, said []byte) bool {
	if e.Code != 503 || builtIn(e.Group) {
		return false
	}
	return len(said) == 0 || bytes.HasPrefix(said, textUnreached)
}

// builtIn reports whether the API server serves a group itself.
func builtIn(group audit.Sym) bool {
	_, found := slices.BinarySearch(ownGroups, group.String())
	return found
}

// ownGroups are those of kubernetes pkg/controlplane/instance.go, and of
// apiextensions-apiserver and kube-aggregator, in order.
var ownGroups = []string{
	"", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps", "authentication.k8s.io", "authorization.k8s.io",
	"autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "extensions", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io",
	"settings.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
}

func containsAny(message []byte, texts [][]byte) bool {
	return slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(message, text) })
}

func beginsAny(message []byte, texts [][]byte) bool {
	return slices.ContainsFunc(texts, func(text []byte) bool { return bytes.HasPrefix(message, text) })
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
