package query

import (
	"slices"
	"strings"
)

// builtin lists Kubernetes' own resources, one a line: the plural, as the audit log
// has it, the singular, and the short names of "kubectl api-resources".
const builtin = `
apiservices apiservice
bindings binding
certificatesigningrequests certificatesigningrequest csr
clusterrolebindings clusterrolebinding
clusterroles clusterrole
componentstatuses componentstatus cs
configmaps configmap cm
controllerrevisions controllerrevision
cronjobs cronjob cj
csidrivers csidriver
csinodes csinode
csistoragecapacities csistoragecapacity
customresourcedefinitions customresourcedefinition crd crds
daemonsets daemonset ds
deployments deployment deploy
deviceclasses deviceclass
endpoints endpoint ep
endpointslices endpointslice
events event ev
flowschemas flowschema
horizontalpodautoscalers horizontalpodautoscaler hpa
ingressclasses ingressclass
ingresses ingress ing
ipaddresses ipaddress ip
jobs job
leases lease
limitranges limitrange limits
localsubjectaccessreviews localsubjectaccessreview
mutatingwebhookconfigurations mutatingwebhookconfiguration
namespaces namespace ns
networkpolicies networkpolicy netpol
nodes node no
persistentvolumeclaims persistentvolumeclaim pvc
persistentvolumes persistentvolume pv
poddisruptionbudgets poddisruptionbudget pdb
pods pod po
podtemplates podtemplate
priorityclasses priorityclass pc
prioritylevelconfigurations prioritylevelconfiguration
replicasets replicaset rs
replicationcontrollers replicationcontroller rc
resourceclaims resourceclaim
resourceclaimtemplates resourceclaimtemplate
resourcequotas resourcequota quota
resourceslices resourceslice
rolebindings rolebinding
roles role
runtimeclasses runtimeclass
secrets secret
selfsubjectaccessreviews selfsubjectaccessreview
selfsubjectreviews selfsubjectreview
selfsubjectrulesreviews selfsubjectrulesreview
serviceaccounts serviceaccount sa
servicecidrs servicecidr
services service svc
statefulsets statefulset sts
storageclasses storageclass sc
subjectaccessreviews subjectaccessreview
tokenreviews tokenreview
validatingadmissionpolicies validatingadmissionpolicy
validatingadmissionpolicybindings validatingadmissionpolicybinding
validatingwebhookconfigurations validatingwebhookconfiguration
volumeattachments volumeattachment
`

// Plural returns the resource that a user names by its plural, its kind or a
// short name: "po", "Pod" and "pods" are pods. It returns an unknown name, such
// as the plural of a custom resource, unchanged.
func Plural(name string) string {
	lower := strings.ToLower(name)
	for line := range strings.Lines(builtin) {
		names := strings.Fields(line)
		for _, n := range names {
			if n == lower {
				return names[0]
			}
		}
	}
	return name
}

// IsKind reports whether text is the plural, the kind or a short name of one of
// Kubernetes' own resources, with its group or without.
func IsKind(text string) bool {
	name, _, _ := strings.Cut(text, ".")
	return slices.Contains(Resources(), Plural(name))
}

// OfKind reports whether a resource is the plural of a kind, as an owner
// reference names it. For kinds that are not Kubernetes' own it guesses the
// regular plural.
func OfKind(resource, kind string) bool {
	lower := strings.ToLower(kind)
	switch resource {
	case Plural(kind), lower + "s", lower + "es":
		return true
	}
	stem, ok := strings.CutSuffix(lower, "y")
	return ok && resource == stem+"ies"
}

// Resources lists the plurals of Kubernetes' own resources, in order.
func Resources() []string {
	var all []string
	for line := range strings.Lines(builtin) {
		if names := strings.Fields(line); len(names) > 0 {
			all = append(all, names[0])
		}
	}
	return all
}
