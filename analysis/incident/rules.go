package incident

import (
	"github.com/kaudit/kaudit/analysis"
)

// rules are the stories that are known. To add one is to add an entry.
var rules = []rule{{
	// A reflector that resumes from an old resourceVersion is sent deletions
	// of Services once more, and its controller deletes the Endpoints of
	// Services that live under the same names. kubernetes 58545 is how a
	// client comes to an old version (DELETED events had the version of the
	// object's last update; fixed by 58547 in 1.10, picked into 1.7 to 1.9),
	// 64209 describes the loop and the two ways out of it.
	name: "reflector-replay",
	root: role{analyzer: "stuck-watch", is: func(f *analysis.Finding) bool {
		return aboutCore(f, "services", "endpoints") && f.Details.Text("kind") != "from-zero"
	}},
	effects: []effect{{
		role:   role{analyzer: "endpoint-flap"},
		akin:   sameController,
		fit:    deletionsAtRounds,
		detail: "afterWatchRound",
	}},

	title: "{client} replays old events of {scope} and deletes the endpoints of {objects}",
	cause: "{client} watches {scope} and resumes again and again from {version}, although {scope} changed since. " +
		"From there the API server sends it the same old deletions once more, and it acts on them as if they were new: " +
		"it deletes the endpoints of services that exist under the same name, and creates them again a moment later. " +
		"{after} of {cycles} deletions lie within {near} of the start or end of a round of that watch. " +
		"A client falls back to an old version if DELETED events carry the version of the object's last update: " +
		"kubernetes 58545, fixed by 58547 in Kubernetes 1.10 and in later patch releases of 1.7 to 1.9; " +
		"kubernetes 64209 describes this loop.",
	remedy: "Restart the leading kube-controller-manager: it lists {scope} again and resumes from the newest version. " +
		"Or change a service, say by annotating it, so that its resourceVersion becomes the newest and the watch moves on. " +
		"Then upgrade Kubernetes to a release that has the fix.",
	avoid: "Deleting or restarting pods and deployments does not help: it does not move the watch of {scope}. " +
		"Deleting and re-creating the service adds one more deletion to replay.",
	proof: "After the restart or the change, watches of {scope} by this client start from a higher resourceVersion and the endpoints stay. " +
		"Before that, watching {scope} from {version} by hand (kubectl get --raw) shows the old deletions being sent again.",

	words:    replayWords,
	timeline: replayTimeline,
}, {
	// etcd that is away, or without a leader, fails every write and every read
	// that the watch cache can't answer: writes after 34 s, reads after 60 s,
	// or sooner where the client or etcd gives up first. Leaders can't renew.
	name: "storage-away",
	root: role{analyzer: "request-timeout", is: storageFailed},
	effects: []effect{
		{role: role{analyzer: "lease-lost", is: leaseFailed}, akin: anyone, fit: duringWaits("lapse"), order: notBefore("lapse")},
		{role: role{analyzer: "heartbeat-gap", is: beatsFailed}, akin: anyone, fit: duringWaits("gap", "failing"), order: notBefore("gap", "failing")},
		{role: role{analyzer: "request-timeout", is: etcdTimedOut}, akin: anyone, fit: together, joins: true},
		{role: role{analyzer: "server-error", is: leaderless}, akin: anyone, fit: together, joins: true},
	},

	title: "the API server could not reach its storage from {at}: {lost}",
	cause: "Requests timed out ({root}), and while they waited {lost}: {effects}. " +
		"All of them need etcd: it was unreachable, without a leader, or too slow.",
	remedy: "Look at etcd first: elections, fsync and backend commit times (etcd_disk_wal_fsync_duration_seconds), disk space, database size, " +
		"and whether it was restarted or defragmented then.{leaders}",
	avoid: "Restarting clients while writes fail, such as the nodes' kubelets, does not help: they fail only because writes fail.",
	proof: "etcd's own log has warnings of slow requests or elections at {at}; the API server's log has \"etcdserver: request timed out\" or \"context deadline exceeded\".",

	words: storageWords, timeline: togetherTimeline,
}, {
	// A webhook that takes all writes, and is not there, or an etcd that takes
	// none fails beats and renewals as it fails all else.
	name:    "not-served",
	root:    role{analyzer: "server-error", is: refusesWrites},
	effects: refusedEffects,

	title: refusedTitle, cause: refusedCause, remedy: "{cure}{leaders}", avoid: refusedAvoid, proof: refusedProof,

	words: servedWords, timeline: togetherTimeline,
}, {
	// The same of a webhook that takes longer than it may.
	name:    "served-too-late",
	root:    role{analyzer: "slow-request", is: hookTimedOut},
	effects: refusedEffects,

	title: refusedTitle, cause: refusedCause, remedy: "{cure}{leaders}", avoid: refusedAvoid, proof: refusedProof,

	words: servedWords, timeline: togetherTimeline,
}, {
	// Kubelets whose certificates ran out send their beats, and the API server
	// does not know them any more: to it, and to the node-controller, their
	// nodes are silent.
	name: "unknown-kubelets",
	root: role{analyzer: "auth-failure", is: kubeletsRefused},
	effects: []effect{
		{role: role{analyzer: "heartbeat-gap", is: serious}, akin: asManyRefused, fit: togetherLikely, order: sinceThen},
	},

	title: "the API server refuses kubelets from {at} on, and nodes fell silent",
	cause: "{root}. These nodes are up, and their requests arrive: {effects}. The API server does not accept their credentials: " +
		"client certificates expired or were issued by another authority, tokens expired, or names changed.",
	remedy: "On one of the nodes, look at the kubelet's log and at its certificate (openssl x509 -noout -dates -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem). " +
		"Let it bootstrap again, make sure that its CertificateSigningRequests are approved (kubectl get csr), and that the API server trusts the authority.",
	avoid: "The network and the load balancer are not the cause. Restarting kubelets does not renew an expired certificate.",
	proof: "The API server's log has \"Unable to authenticate the request\", and the kubelets' logs \"Unauthorized\" or \"forbidden\", from {at} on.",

	words: togetherWords, timeline: togetherTimeline,
}, {
	// An API server that ends closes the watches and sessions that it serves,
	// and clients list again what they watch, at once.
	name:    "api-server-restart",
	root:    role{analyzer: "watch-expiry", is: storm(true)},
	alone:   analysis.Confirmed,
	effects: stormEffects,

	title: "an API server went away at {at}, and {clients} clients started over at once",
	cause: "{root}.{away} Watches and sessions end with the API server that serves them, and every client lists again what it watches.{meanwhile}",
	remedy: "Find out why it went away: a rollout, an out-of-memory kill, a failed liveness probe. " +
		"To make the next time cheaper, let clients use watch-lists (Kubernetes 1.34) or lists from resourceVersion 0, and set --goaway-chance so that they spread over the servers again.",
	avoid: "The clients are not at fault: restarting them makes them list once more.",
	proof: "The API server's container was started at that time, or its log starts there; the metric process_start_time_seconds shows it.",

	words: togetherWords, timeline: togetherTimeline,
}, {
	// The same without a sign of the server's own: no reflector of its that
	// starts, no watch of its that ends.
	name:    "connections-lost",
	root:    role{analyzer: "watch-expiry", is: storm(false)},
	alone:   analysis.Confirmed,
	effects: stormEffects,

	title: "{clients} clients lost their connections to the API server at {at}, and started over at once",
	cause: "{root}. Watches end with the connection to the API server, and every client lists again what it watches. " +
		"The log does not show what ended the connections: the API server itself, though it has no sign of a stop or start, or a load balancer in front of it.{meanwhile}",
	remedy: "Find out what happened at {at}: a failover or reconfiguration of the load balancer, a network failure, a restart of the API server. " +
		"To make the next time cheaper, let clients use watch-lists (Kubernetes 1.34) or lists from resourceVersion 0.",
	avoid: "The clients are not at fault: restarting them makes them list once more.",
	proof: "The load balancer's log at {at}, and the API server's metric process_start_time_seconds, which shows whether it was started then.",

	words: togetherWords, timeline: togetherTimeline,
}, {
	// A load balancer that drops connections without a word silences whoever
	// comes through it, until their side notices.
	name: "load-balancer",
	root: role{analyzer: "heartbeat-gap", is: func(f *analysis.Finding) bool {
		return f.Details.Text("pattern") == "many-nodes" && f.Subject.SourceIP != ""
	}},
	alone: analysis.Likely,
	effects: []effect{
		{role: role{analyzer: "hijacked-latency", is: serious}, akin: sameAddress, fit: together},
		{role: role{analyzer: "hijacked-latency"}, akin: sameAddress, among: endedTogether},
		{role: role{analyzer: "watch-expiry", is: detailIs("kind", "storm")}, akin: anyone, fit: together},
		{role: role{analyzer: "lease-lost"}, akin: sameAddress, fit: together},
	},

	title: "{nodes} nodes{others} behind {ip} were cut off at {at}",
	cause: "{root}. Nodes at other addresses made requests all the time, so the API server was up, but not reachable through {ip}.{meanwhile}",
	remedy: "Look at the load balancer or NAT at {ip} at that time: failover, connection table, idle timeout. " +
		"Kubelets of 1.20 and later notice a dead connection within some 45 s; older ones wait for TCP (lower net.ipv4.tcp_retries2, or set DISABLE_HTTP2).",
	avoid: "Rebooting the nodes does not help: they and their kubelets are fine.",
	proof: "The load balancer's log, and that nodes which reach the API server by another way were not silent.",

	words: togetherWords, timeline: togetherTimeline,
}, {
	// A client in a loop fills its priority level's queue, and others of that
	// level are refused.
	name: "runaway-client",
	root: role{analyzer: "hot-loop", is: serious},
	effects: []effect{
		{role: role{analyzer: "throttling", is: func(f *analysis.Finding) bool { return overloaded(f) && !pressesItself(f) }}, akin: another, fit: together},
		{role: role{analyzer: "slow-request", is: func(f *analysis.Finding) bool { return serious(f) && !detailIs("cause", "webhook")(f) }}, akin: another, fit: together},
		{role: role{analyzer: "throttling"}, akin: pressedByRoot, fit: together, joins: true},
	},

	title: "{client} is in a loop, and others are refused or slow",
	cause: "{root}. In the same minutes requests were refused or had to wait: {effects}.",
	remedy: "Stop or scale down {client} first. Then fix its loop: it probably takes its own write for a change. " +
		"Give it a FlowSchema and a priority level of its own, so that it can only hurt itself.",
	avoid: "More API servers raise the limit, but don't end the loop.",
	proof: "With {client} stopped, the refusals end within a minute.",

	words: togetherWords, timeline: togetherTimeline,
}, {
	// A watch from a version that the server has no more is answered 410 or
	// ends at once. Who takes that for the end of a stream tries again.
	name: "expired-version",
	root: role{analyzer: "stuck-watch", is: detailIs("kind", "tight-loop", "same-rv")},
	effects: []effect{
		{role: role{analyzer: "watch-expiry", is: detailIs("kind", "expired")}, akin: sameScope, fit: together},
	},

	title: "{client} watches {what} again and again from a version that the API server no longer has",
	cause: "{root}. The API server keeps only the last minutes of changes. A watch from before them is answered 410 Gone, usually inside the stream, and then the audit log " +
		"has a watch with code 200 that lasted some milliseconds. The client takes that for a normal end, and asks for the same version again instead of listing.",
	remedy: "Restart {client}: it lists and starts from the newest version. Then fix it: after a 410, as a status or as an ERROR event, it must list before it watches again, " +
		"as client-go's reflectors and informers do.",
	avoid: "More history in the API server or etcd only postpones it: a client that never lists falls behind in the end.",
	proof: "Watching {what} from that version by hand (kubectl get --raw) shows an ERROR event with code 410.",

	words: peerWords, timeline: peerTimeline,
}, {
	// Whatever is idle is cut by what stands before the API server: an ELB
	// after 60 s by default, a kubelet after 4 h.
	name:  "idle-timeout",
	peers: true,
	root:  role{analyzer: "hijacked-latency", is: detailSet("cutAtSeconds")},
	effects: []effect{
		{role: role{analyzer: "hijacked-latency", is: detailSet("cutAtSeconds")}, akin: sameLength, fit: always},
	},

	title: "sessions of {users} are cut after {length}: {what}",
	cause: "Sessions of several kinds ({what}) all end after {length}. No command takes equally long every time, and the API server has no such limit: " +
		"its --request-timeout does not apply to long-running requests. Something on the way drops connections that have been idle for so long: a load balancer, a proxy, a NAT. " +
		"(4 hours is the kubelet's own --streaming-connection-idle-timeout.)",
	remedy: "Raise the idle timeout of what is in front of the API server (an hour is usual for kubectl exec and logs -f), or let clients or commands send something more often than every {length}.",
	avoid:  "Restarting the pods or raising --request-timeout changes nothing: neither is the cause.",
	proof:  "A session in which something is sent every few seconds stays open, and so does an idle one that goes to the API server directly.",

	words: peerWords, timeline: peerTimeline,
}, {
	name:  "stalled-reader",
	peers: true,
	root:  role{analyzer: "watch-stall"},
	effects: []effect{
		{role: role{analyzer: "watch-stall"}, akin: sameReader, fit: together},
	},

	title: "watches of {members} are open but not read: {what}",
	cause: "{root}. A client that does not read blocks the API server's write, so that the server can't end the watch when its timeout is over. " +
		"All of these are watches of the same client, or program, at the same time.",
	remedy: "Stop {members}, so that the connections close: each watch holds a goroutine and buffers in the API server. Then fix the program: it must read every watch to its end or close it, " +
		"and should list, with a limit, if a list is all it needs.",
	avoid: "Restarting the API server helps only until the client connects again.",
	proof: "The API server has as many goroutines in cacheWatcher.processInterval (/debug/pprof/goroutine) as there are such watches, and they end with the client.",

	words: peerWords, timeline: peerTimeline,
}, {
	// Those who are refused share a priority level; who fills it is refused
	// most, and made most of the requests.
	name: "greedy-client",
	root: role{analyzer: "throttling", is: func(f *analysis.Finding) bool {
		return serious(f) && pressesItself(f)
	}},
	effects: []effect{
		{role: role{analyzer: "throttling", is: detailSet("pressureRequests")}, akin: pressedBy, fit: together},
	},

	title: "{client} sends so many requests that it and others are refused",
	cause: "{root}. Others were refused in the same minute: {others}. Clients that share a priority level share its seats and queues: when these are full, a request is refused (429), " +
		"whoever sent it.",
	remedy: "Stop or scale down {client}. Then find out why it sends so many requests: a loop, a missing informer, a pod on every node that asks for the same. " +
		"Give it a FlowSchema and a priority level of its own with few seats, so that others are served.",
	avoid: "The others are not at fault: changing or restarting them only adds requests.",
	proof: "With {client} stopped, the refusals end within a minute. kubectl get --raw /debug/api_priority_and_fairness/dump_requests shows whose requests wait.",

	words: peerWords, timeline: peerTimeline,
}, {
	name:  "throttled-client",
	peers: true,
	root:  role{analyzer: "throttling", is: detailSet("pressureRequests")}, // where nobody stands out, there is nobody to stop
	effects: []effect{
		{role: role{analyzer: "throttling"}, akin: sameUser, fit: together},
		{role: role{analyzer: "slow-request", is: detailIs("cause", "apf-queue-wait")}, akin: sameUser, fit: together},
	},

	title: "{client} was refused or kept waiting on {what}; the load in the worst minute was {whose}",
	cause: "{root}. Each priority level has a number of seats and queues: when they are full, a request is refused at once (429), and a request that waits too long is refused " +
		"after a quarter of the request timeout. All of these are requests of the same client at the same time.",
	remedy: "Find out why {presser} sends so many requests: a list without resourceVersion=0 or a limit, a missing informer, a loop. Give it a FlowSchema and a priority level of its own " +
		"with few seats, so that others are served.",
	avoid: "A faster etcd does not help: the time is spent waiting in a queue, not for storage.",
	proof: "kubectl get --raw /debug/api_priority_and_fairness/dump_requests shows whose requests wait; with {presser} stopped, the refusals end within a minute.",

	words: pressureWords, timeline: peerTimeline,
}, {
	// Many who are refused at once, and nobody who makes the load: there is too
	// little room for all.
	name:  "overload",
	peers: true,
	root:  role{analyzer: "throttling", is: unpressed},
	effects: []effect{
		{role: role{analyzer: "throttling", is: unpressed}, akin: another, fit: together},
	},

	title: "{members} were refused at {at}, and no single client made the load",
	cause: "{root}. Others were refused in the same minutes: {others}. No client made half of all requests, so it is no client's loop: " +
		"there were more requests than the API server, or the priority level that these clients share, has seats for.",
	remedy: "Find out what began at {at}: a deployment or an autoscaler that started many clients, an API server that was lost, slow requests that hold their seats longer. " +
		"Then give the priority level more seats, or add an API server.",
	avoid: "Stopping one of these clients does not help the others for long.",
	proof: "kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels shows which level is full, and dump_requests whose requests wait.",

	words: peerWords, timeline: peerTimeline,
}, {
	name:  "relisting-client",
	peers: true,
	root:  role{analyzer: "watch-expiry", is: detailIs("kind", "expired", "list-loop")},
	effects: []effect{
		{role: role{analyzer: "watch-expiry", is: detailIs("kind", "expired", "list-loop")}, akin: sameClient, fit: together},
	},

	title:  "{client} can't keep its watches of {what}, and starts over again and again",
	cause:  "{root}. All of these are of the same client at the same time, so the cause lies with it or on its way to the API server, not with one of the resources.",
	remedy: "Look in the log of {client} for what ends its watches or keeps it from starting them: permissions, a proxy that closes streams, a version that it kept from another cluster. Restart it: it lists and starts from the newest version.",
	avoid:  "Don't restart it in a loop: each new list of everything is expensive for the API server.",
	proof:  "A watch of the same resource by hand (kubectl get --watch) as the same user ends, or is refused, in the same way.",

	words: peerWords, timeline: peerTimeline,
}, {
	// What one client of a program does alone may lie with it; what several do at
	// once lies with the program, or with what serves them all.
	name:  "relisting-program",
	peers: true,
	root:  role{analyzer: "watch-expiry", is: detailIs("kind", "expired", "list-loop")},
	effects: []effect{
		{role: role{analyzer: "watch-expiry", is: detailIs("kind", "expired", "list-loop")}, akin: sameProgram, fit: together},
	},

	title: "{members} can't keep their watches of {what}, and start over again and again",
	cause: "{root}. All of these are of the same program and the same resource, so the cause lies with the program, or with what serves {what}: " +
		"a version that it kept or was given and that the API server no longer has, a conversion or an aggregated API that fails, a proxy that closes streams.",
	remedy: "Watch {what} by hand (kubectl get --watch). If that ends too, look at what serves it; otherwise fix or upgrade the program, which must list again after a 410.",
	avoid:  "Don't restart all of the clients at once: each makes a list of everything.",
	proof:  "Watches by hand as the same user end, or don't, in the same way.",

	words: peerWords, timeline: peerTimeline,
}, {
	name:  "stuck-program",
	peers: true,
	root:  role{analyzer: "stuck-watch"},
	effects: []effect{
		{role: role{analyzer: "stuck-watch"}, akin: sameProgram, fit: together},
	},

	title: "{members} watch {what} from old versions",
	cause: "{root}. All of these are of the same program and the same resource: either the program keeps an old resourceVersion, as clients did before Kubernetes 1.10 (kubernetes 58545), " +
		"or API servers send it one.",
	remedy: "Restart one of them and check that it resumes from the newest version; then restart the others. Then upgrade the program.",
	avoid:  "Deleting or restarting what they watch does not move their watches.",
	proof:  "After a restart the watches of {what} start from a higher resourceVersion.",

	words: peerWords, timeline: peerTimeline,
}, {
	// Where etcd itself said that its time was up, it is what the requests of
	// many clients have in common.
	name:  "storage-slow",
	peers: true,
	root:  role{analyzer: "request-timeout", is: etcdTimedOut},
	effects: []effect{
		{role: role{analyzer: "request-timeout", is: etcdTimedOut}, akin: another, fit: together},
		{role: role{analyzer: "server-error", is: leaderless}, akin: anyone, fit: together, joins: true},
	},

	title: "etcd did not answer in time from {at} on: requests for {what} failed",
	cause: "{root}. Requests of others failed in the same way in the same minutes, so the cause is not one of the clients or resources: " +
		"etcd was without a leader, or too slow.",
	remedy: "Look at etcd: elections, fsync and backend commit times (etcd_disk_wal_fsync_duration_seconds), and what shares its disks.",
	avoid:  "Restarting the clients or the API server adds load to etcd: both list everything when they start.",
	proof:  "etcd's own log has warnings of slow requests or elections at {at}.",

	words: peerWords, timeline: peerTimeline,
}, {
	// Requests of many for one resource that time out have what serves it in
	// common.
	name:  "slow-resource",
	peers: true,
	root:  role{analyzer: "request-timeout", is: resourceFailed},
	effects: []effect{
		{role: role{analyzer: "request-timeout", is: resourceFailed}, akin: sameResource, fit: together},
	},

	title: "requests of {members} for {what} time out",
	cause: "{root}. Requests of several clients for the same resource timed out together, so the cause lies with what serves it: " +
		"an aggregated API server, a webhook, a conversion, or a list that is too large.",
	remedy: "Find out what serves {what} (kubectl get apiservices; the webhooks and conversions for it), and look at its log at that time.",
	avoid:  "The clients are not at fault: with a longer timeout they only wait longer.",
	proof:  "The same request by hand takes as long, and requests for other resources don't.",

	words: peerWords, timeline: peerTimeline,
}, {
	// What ends a node's beats once may be a restart of its kubelet. What ends
	// them again and again is still there.
	name:  "unsteady-node",
	peers: true,
	root:  role{analyzer: "heartbeat-gap", is: oneNode},
	effects: []effect{
		{role: role{analyzer: "heartbeat-gap", is: oneNode}, akin: sameNode, fit: always},
	},

	title: "node {node} falls silent again and again",
	cause: "{root}. It fell silent again after that, each time alone, " +
		"so the cause most likely lies with this node: its kubelet, its host, or its network.",
	remedy: "Drain {node}, so that its pods run elsewhere. Then look at its host at these times: memory, disk, load, clock, the network interface, " +
		"and at its kubelet's log: restarts, \"PLEG is not healthy\", \"failed to update lease\".",
	avoid: "A longer node-monitor-grace-period hides it, and makes every node that fails be noticed later.",
	proof: "The kubelet's log has gaps, restarts or failed requests at these times, and the logs of other nodes have none.",

	words: peerWords, timeline: peerTimeline,
}, {
	name:  "swept-endpoints",
	peers: true,
	root:  role{analyzer: "endpoint-flap"},
	effects: []effect{
		{role: role{analyzer: "endpoint-flap"}, akin: sameDeleter, fit: together},
	},

	title: "{client} deletes endpoints that others need: {objects}",
	cause: "{root}. The same client deleted {objects} in the same minutes, and the Services, or the holders of the locks, were not deleted: " +
		"either its view of the cluster is wrong or old, or it is a script that does what it was told.",
	remedy: "Find out what happened to {client} when it began: a start, a change of leader, an upgrade, a job. If it is a controller, restart it, so that it lists again; if it is a script, stop it.",
	avoid:  "Creating the endpoints by hand helps only until they are deleted again.",
	proof:  "With {client} stopped, the endpoints stay.",

	words: peerWords, timeline: peerTimeline,
}}

// stormEffects is what may follow when many clients lose their watches together.
var stormEffects = []effect{
	{role: role{analyzer: "hijacked-latency", is: detailSet("cutByRestart")}, akin: anyone, fit: cutAtStart},
	{role: role{analyzer: "lease-lost"}, akin: anyone, fit: lostThen},
	{role: role{analyzer: "heartbeat-gap", is: serious}, akin: anyone, fit: silentThen},
	{role: role{analyzer: "slow-request", is: serious}, akin: anyone, fit: together},
	{role: role{analyzer: "throttling", is: serious}, akin: anyone, fit: together},
}

// refusedEffects is what may follow when any write may fail.
var refusedEffects = []effect{
	{role: role{analyzer: "lease-lost", is: leaseFailed}, akin: anyone, fit: together, order: sinceThen},
	{role: role{analyzer: "heartbeat-gap", is: beatsFailed}, akin: anyone, fit: together, order: sinceThen},
}

// What is told of it, whatever fails them.
const (
	refusedTitle = "from {at} writes failed because {why}: {lost}"
	refusedCause = "{root}. Heartbeats of nodes and renewals of leases are writes, too, so {lost}: {effects}."
	refusedAvoid = "Restarting kubelets or controllers while their writes fail does not help: they fail only because writes fail."
	refusedProof = "The API server's answers to these writes name the cause (kaudit events --code '>=500' -o json, responseStatus.message); without it they succeed at once."
)
