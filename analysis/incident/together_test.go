package incident_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
	"github.com/kaudit/kaudit/audit"
)

// found is a finding of an analyzer about a client, seen from and to these
// seconds.
func found(analyzer, user, ip, from, to string, severity analysis.Severity, details analysis.Details) analysis.Finding {
	return analysis.Finding{
		ID: analyzer + "/" + user + from, Analyzer: analyzer, Severity: severity, Confidence: analysis.Likely, Count: 12,
		Title: analyzer + " of " + user, First: seconds(from), Last: seconds(to),
		Subject: analysis.Subject{User: user, SourceIP: ip}, Details: details,
	}
}

// alike is a finding like f of another user, and of another resource.
func alike(f analysis.Finding, user string, cutAt float64) analysis.Finding {
	return with(f, func(f *analysis.Finding) {
		f.ID += "/2"
		f.Subject.User, f.Subject.Resource = user, "events"
		if cutAt > 0 {
			f.Details["cutAtSeconds"] = cutAt
		}
	})
}

// moved is a finding that was seen so many seconds later.
func moved(f analysis.Finding, by float64) analysis.Finding {
	micros := audit.Time(by * 1e6)
	return with(f, func(f *analysis.Finding) {
		f.First, f.Last = f.First+micros, f.Last+micros
		f.Marks = slices.Clone(f.Marks)
		for i := range f.Marks {
			f.Marks[i].From, f.Marks[i].To = f.Marks[i].From+micros, f.Marks[i].To+micros
		}
	})
}

func TestFindingsThatShareACauseAreOneIncident(t *testing.T) {
	timeouts := found("request-timeout", "ci-bot", "10.0.3.1", "100", "160", analysis.Warning, analysis.Details{"maxSeconds": 34.0, "timeoutSeconds": 60.0})
	timeouts.Marks = marks("timeout", "134-134 136-136 160-160")
	lease := found("lease-lost", "operator", "10.0.3.2", "97", "140", analysis.Warning, analysis.Details{"cause": "errors"})
	lease.Marks = marks("lapse", "97-140")
	beats := found("heartbeat-gap", "", "", "95", "160", analysis.Warning, analysis.Details{"pattern": "many-nodes", "failing": true})
	beats.Marks = marks("failing", "95-150 95-160")
	hook := found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "webhook", "webhook": "labels.corp"})
	etcd := with(timeouts, func(f *analysis.Finding) { f.ID, f.Details["etcdTimeouts"], f.Subject.Resource = "etcd", 3, "pods" })
	leader := found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "storage", "messages": []string{"etcdserver: leader changed"}})
	slowHook := found("slow-request", "", "", "130", "160", analysis.Warning, analysis.Details{"cause": "webhook", "webhook": "labels.corp", "failed": 40, "failedOpen": 0, "maxSeconds": 30.0})
	kubelets := found("auth-failure", "", "", "100", "900", analysis.Warning, analysis.Details{"members": 12, "asked": []string{"update leases"}})
	kubelets.Subject.UserAgent = "kubelet/v1.31.4"
	gone := with(found("heartbeat-gap", "", "", "95", "900", analysis.Critical, analysis.Details{"pattern": "never-returned"}), func(f *analysis.Finding) { f.Count = 6 })
	storm := found("watch-expiry", "", "", "100", "103", analysis.Warning, analysis.Details{"kind": "storm", "clients": 25, "restart": true})
	cut := found("hijacked-latency", "alice", "10.0.3.7", "10", "95", analysis.Info, analysis.Details{"cutByRestart": 2, "restarts": []string{seconds("95").String()}})
	cut.Marks = marks("open", "10-15 20-25") // the API server was away until 95
	silent := found("heartbeat-gap", "", "10.0.0.100", "100", "160", analysis.Critical, analysis.Details{"pattern": "many-nodes"})
	sessions := found("hijacked-latency", "bob", "10.0.0.100", "90", "150", analysis.Warning, analysis.Details{})
	loop := found("hot-loop", "argo", "10.0.2.1", "100", "200", analysis.Warning, nil)
	refused := found("throttling", "ci-bot", "10.0.2.2", "120", "180", analysis.Warning, analysis.Details{"pressure": "ci-bot", "pressureRequests": 60})
	victim := with(refused, func(f *analysis.Finding) { f.Details["pressure"] = "argo" })
	looper := with(victim, func(f *analysis.Finding) { f.ID, f.Subject = "throttling/argo", loop.Subject })
	loops := found("stuck-watch", "app", "10.0.2.3", "100", "200", analysis.Warning, analysis.Details{"kind": "tight-loop"})
	expired := found("watch-expiry", "app", "10.0.2.3", "100", "200", analysis.Warning, analysis.Details{"kind": "expired"})
	lists := found("watch-expiry", "app", "10.0.2.3", "101", "200", analysis.Warning, analysis.Details{"kind": "list-loop"})
	idle := found("hijacked-latency", "alice", "10.0.3.7", "100", "200", analysis.Warning, analysis.Details{"cutAtSeconds": 60.0})
	stalled := found("watch-stall", "dash", "10.0.3.9", "100", "200", analysis.Critical, analysis.Details{"kind": "overdue"})
	pile := found("watch-stall", "dash", "10.0.3.9", "101", "200", analysis.Warning, analysis.Details{"kind": "pile"})
	queued := found("slow-request", "ci-bot", "10.0.2.2", "121", "180", analysis.Warning, analysis.Details{"cause": "apf-queue-wait"})
	nobodys := func(f analysis.Finding, user string) analysis.Finding {
		return with(alike(f, user, 0), func(f *analysis.Finding) { f.ID, f.Details = user, analysis.Details{"refused": 20} })
	}
	acme := func(f analysis.Finding) analysis.Finding {
		return with(f, func(f *analysis.Finding) { f.Subject.UserAgent, f.Subject.Resource = "acme/1.2 (linux)", "services" })
	}
	elsewhere := func(f analysis.Finding) analysis.Finding {
		return with(f, func(f *analysis.Finding) { f.ID, f.Subject.SourceIP = f.ID+"/far", "10.9.9.9" })
	}
	later := func(f analysis.Finding) analysis.Finding {
		return moved(f, 600)
	}
	for _, c := range []struct {
		name     string
		findings []analysis.Finding
		want     string // the incident's rule, "" for none
	}{
		{"writes time out and a lease is lost", []analysis.Finding{timeouts, lease}, "storage-away"},
		{"a lease is lost ten minutes later", []analysis.Finding{timeouts, later(lease)}, ""},
		{"a lease is lost by a silent holder", []analysis.Finding{timeouts, with(lease, func(f *analysis.Finding) {
			f.Details = analysis.Details{"cause": "silence"}
		})}, ""},
		{"timeouts alone", []analysis.Finding{timeouts}, ""},
		{"a lease is lost just before the first write that times out", []analysis.Finding{timeouts, moved(lease, -10)}, "storage-away"},
		{"a lease is lost half a minute before", []analysis.Finding{timeouts, moved(lease, -25)}, ""},
		{"a lease is renewed again before anything times out", []analysis.Finding{timeouts, with(lease, func(f *analysis.Finding) {
			f.Marks = marks("lapse", "85-99")
		})}, ""},
		{"a lease is lost for the want of a permission", []analysis.Finding{timeouts, with(lease, func(f *analysis.Finding) {
			f.Details["messages"] = []string{`leases "operator" is forbidden: no RBAC policy matched`}
		})}, ""},
		{"requests that never ended, and a lease", []analysis.Finding{with(timeouts, func(f *analysis.Finding) {
			f.Marks = marks("unfinished", "100-160 101-161 102-162")
		}), lease}, ""},
		{"requests that outlived the timeout, and a lease", []analysis.Finding{with(timeouts, func(f *analysis.Finding) {
			f.Marks = marks("overrun", "100-190")
		}), lease}, ""},
		{"beats that fail as writes do", []analysis.Finding{timeouts, beats}, "storage-away"},
		{"nodes that send nothing", []analysis.Finding{timeouts, with(beats, func(f *analysis.Finding) { delete(f.Details, "failing") })}, ""},
		{"no node sends anything", []analysis.Finding{timeouts, with(beats, func(f *analysis.Finding) {
			f.Details = analysis.Details{"pattern": "all-nodes"}
		})}, "storage-away"},
		{"a webhook that is gone, beats and a lease", []analysis.Finding{hook, beats, lease}, "not-served"},
		{"a webhook that is gone, and a lease lost by a silent holder", []analysis.Finding{hook, with(lease, func(f *analysis.Finding) {
			f.Details = analysis.Details{"cause": "silence"}
		})}, ""},
		{"a lease is lost half a minute before a webhook is gone", []analysis.Finding{hook, moved(lease, -25)}, ""},
		{"beats fail, and objects can't be converted", []analysis.Finding{with(hook, func(f *analysis.Finding) { f.Details["kind"] = "conversion" }), beats}, ""},
		{"a webhook that is gone for a moment, and beats", []analysis.Finding{with(hook, func(f *analysis.Finding) { f.Severity = analysis.Info }), beats}, ""},
		{"a webhook that does not answer, beats and a lease", []analysis.Finding{slowHook, beats, lease}, "served-too-late"},
		{"a webhook that does not answer, and a lease lost half a minute before", []analysis.Finding{slowHook, moved(lease, -25)}, ""},
		{"a webhook that is done without, and beats", []analysis.Finding{with(slowHook, func(f *analysis.Finding) { f.Details["failedOpen"] = 41 }), beats}, ""},
		{"kubelets that are not known any more, and nodes", []analysis.Finding{kubelets, gone}, "unknown-kubelets"},
		{"a kubelet that is not known, and six nodes", []analysis.Finding{with(kubelets, func(f *analysis.Finding) { f.Details["members"] = 0 }), gone}, ""},
		{"kubelets that were refused tokens, and nodes", []analysis.Finding{with(kubelets, func(f *analysis.Finding) { f.Details["asked"] = []string{"create serviceaccounts/token"} }), gone}, ""},
		{"nodes that fell silent before kubelets were refused", []analysis.Finding{kubelets, moved(gone, -25)}, ""},
		{"a relist storm and sessions that were cut", []analysis.Finding{storm, cut}, "api-server-restart"},
		{"a relist storm alone", []analysis.Finding{storm}, "api-server-restart"},
		{"a relist storm of a server that was told to stop", []analysis.Finding{with(storm, func(f *analysis.Finding) {
			f.Details = analysis.Details{"kind": "storm", "clients": 25, "restart": false, "stopped": true}
		})}, "api-server-restart"},
		{"a relist storm, and the server's own watches live on", []analysis.Finding{with(storm, func(f *analysis.Finding) {
			f.Details = analysis.Details{"kind": "storm", "clients": 25, "restart": false, "stopped": false}
		}), lease}, "connections-lost"},
		{"a relist storm of some", []analysis.Finding{with(storm, func(f *analysis.Finding) { f.Severity = analysis.Info })}, ""},
		{"nodes and sessions behind one address", []analysis.Finding{silent, sessions}, "load-balancer"},
		{"nodes behind one address", []analysis.Finding{silent}, "load-balancer"},
		{"nodes of many addresses", []analysis.Finding{with(silent, func(f *analysis.Finding) { f.Subject.SourceIP = "" }), sessions}, ""},
		{"a loop and others refused", []analysis.Finding{loop, victim}, "runaway-client"},
		{"a loop and others refused, with nobody who made the load", []analysis.Finding{loop, with(refused, func(f *analysis.Finding) {
			f.Details = analysis.Details{}
		})}, "runaway-client"},
		{"a loop, and writes of others that wait", []analysis.Finding{loop, alike(queued, "bob", 0)}, "runaway-client"},
		{"a loop, and writes of others that a webhook holds up", []analysis.Finding{loop, with(alike(queued, "bob", 0), func(f *analysis.Finding) {
			f.Details = analysis.Details{"cause": "webhook"}
		})}, ""},
		{"a loop that refuses itself and others, some for information", []analysis.Finding{
			looper, loop, victim, with(alike(victim, "bob", 0), func(f *analysis.Finding) { f.Severity = analysis.Info }),
		}, "runaway-client"},
		{"a loop, and one refused under a load of its own", []analysis.Finding{loop, refused}, ""},
		{"a loop that is refused alone", []analysis.Finding{loop, looper}, ""},
		{"a loop that refuses itself", []analysis.Finding{loop, with(refused, func(f *analysis.Finding) { f.Subject.User = "argo" })}, ""},
		{"a client that is refused most, and others", []analysis.Finding{
			with(refused, func(f *analysis.Finding) { f.Details["pressure"] = "ci-bot" }),
			with(alike(refused, "bob", 0), func(f *analysis.Finding) { f.Severity = analysis.Info }),
		}, "greedy-client"},
		{"others, whose load somebody else made", []analysis.Finding{alike(refused, "bob", 0), alike(refused, "carol", 0)}, ""},
		{"one client's loops at expired versions", []analysis.Finding{loops, expired}, "expired-version"},
		{"another client's expired versions", []analysis.Finding{loops, with(expired, func(f *analysis.Finding) { f.Subject.User = "bob" })}, ""},
		{"lists of one client without end", []analysis.Finding{expired, lists}, "relisting-client"},
		{"sessions of two users cut at one length", []analysis.Finding{idle, alike(idle, "carol", 61)}, "idle-timeout"},
		{"sessions cut at two lengths", []analysis.Finding{idle, alike(idle, "carol", 90)}, ""},
		{"watches that one client does not read", []analysis.Finding{stalled, pile}, "stalled-reader"},
		{"watches of which one can't be told from healthy", []analysis.Finding{stalled, with(pile, func(f *analysis.Finding) { f.Confidence = analysis.Possible })}, ""},
		{"watches that clients of one program do not read", []analysis.Finding{acme(stalled), elsewhere(acme(stalled))}, "stalled-reader"},
		{"watches that clients of two programs do not read", []analysis.Finding{acme(stalled), with(elsewhere(acme(stalled)), func(f *analysis.Finding) { f.Subject.UserAgent = "other/1" })}, ""},
		{"versions that clients of one program can't go on from", []analysis.Finding{acme(expired), elsewhere(acme(expired))}, "relisting-program"},
		{"watches of clients of one program that are stuck", []analysis.Finding{acme(stuck("services", manager, "0-7 7-15")), elsewhere(acme(stuck("services", manager, "0-7 7-15")))}, "stuck-program"},
		{"watches of one program's clients that are stuck on two resources", []analysis.Finding{acme(stuck("services", manager, "0-7 7-15")), elsewhere(with(acme(stuck("endpoints", manager, "0-7 7-15")), func(f *analysis.Finding) { f.Subject.Resource = "endpoints" }))}, ""},
		{"requests of two clients for one resource that time out", []analysis.Finding{acme(timeouts), elsewhere(acme(timeouts))}, "slow-resource"},
		{"requests of two clients that etcd times out", []analysis.Finding{etcd, with(elsewhere(etcd), func(f *analysis.Finding) { f.Subject.User = "bob" }), leader}, "storage-slow"},
		{"requests that etcd times out, of others, and a lease", []analysis.Finding{etcd, moved(with(elsewhere(etcd), func(f *analysis.Finding) { f.Subject.User = "bob" }), 70), lease, leader}, "storage-away"},
		{"etcd that had no leader, and a lease", []analysis.Finding{leader, lease}, ""},
		{"etcd that is full, and a lease", []analysis.Finding{with(leader, func(f *analysis.Finding) {
			f.Details["messages"] = []string{"etcdserver: mvcc: database space exceeded"}
		}), lease}, "not-served"},
		{"requests of two clients for two resources that time out", []analysis.Finding{acme(timeouts), with(elsewhere(acme(timeouts)), func(f *analysis.Finding) { f.Subject.Resource = "nodes" })}, ""},
		{"a client refused on two resources and in a queue", []analysis.Finding{refused, alike(refused, "ci-bot", 0), queued}, "throttled-client"},
		{"a client refused where nobody made the load", []analysis.Finding{
			with(refused, func(f *analysis.Finding) { f.Details = analysis.Details{} }), queued,
		}, ""},
		{"clients refused where nobody made the load", []analysis.Finding{nobodys(refused, "ann"), nobodys(refused, "bob"), nobodys(refused, "carol")}, "overload"},
		{"clients refused at two times where nobody made the load", []analysis.Finding{nobodys(refused, "ann"), later(nobodys(refused, "bob"))}, ""},
		{"clients refused apart", []analysis.Finding{refused, later(alike(refused, "ci-bot", 0))}, ""},
		{"endpoints that one client deletes", []analysis.Finding{flap("a/a", manager, "1-2"), flap("a/b", manager, "1-2"), flap("a/c", manager, "2-3")}, "swept-endpoints"},
		{"a loop for information", []analysis.Finding{with(loop, func(f *analysis.Finding) { f.Severity = analysis.Info }), refused}, ""},
	} {
		incidents := incident.Find(clone(t, c.findings), 0)
		got := ""
		for _, in := range incidents {
			rule, _, _ := strings.Cut(in.ID, "/")
			got += rule
			if len(in.Findings) != len(c.findings) || len(in.Timeline) != len(c.findings) || in.Remedy == "" || in.Proof == "" {
				t.Errorf("%s: the incident is not whole: %+v", c.name, in)
			}
			if text := in.Title + in.Cause + in.Remedy + in.Avoid + in.Proof; strings.ContainsAny(text, "{}") {
				t.Errorf("%s: a word was not filled in: %s", c.name, text)
			}
		}
		if got != c.want {
			t.Errorf("%s: got incident %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLeasesBelongToTheRestartThatLostThem(t *testing.T) {
	storm := found("watch-expiry", "", "", "500", "503", analysis.Warning, analysis.Details{"kind": "storm", "clients": 25, "restart": true})
	for _, c := range []struct {
		from, cause string
		want        int // findings
	}{{"490", "errors", 2}, {"300", "errors", 1}, {"300", "api-restart", 2}} {
		lease := found("lease-lost", "operator", "10.0.3.2", c.from, "600", analysis.Warning, analysis.Details{"cause": c.cause})
		incidents := incident.Find([]analysis.Finding{storm, lease}, 0)
		if len(incidents) != 1 || len(incidents[0].Findings) != c.want {
			t.Errorf("lost from %s on by %s: %+v, want one incident of %d findings", c.from, c.cause, incidents, c.want)
		}
	}
}

// A cause has nothing from before --since; what it silenced may have begun before.
func TestAStoryIsToldFromTheMidstOfIt(t *testing.T) {
	etcd := found("server-error", "", "", "100", "160", analysis.Warning, analysis.Details{"kind": "storage"})
	etcd.Confidence = analysis.Confirmed
	beats := found("heartbeat-gap", "", "", "40", "160", analysis.Warning, analysis.Details{"pattern": "many-nodes", "failing": true})
	beats.Confidence = analysis.Confirmed
	for _, c := range []struct{ since, want string }{
		{"", ""},
		{"39", ""}, // all of the beats is left: they failed first
		{"60", ""}, // etcd failed nothing from then on
		{"99", "likely, may have begun earlier"},
	} {
		got := ""
		for _, in := range incident.Find(clone(t, []analysis.Finding{etcd, beats}), seconds(c.since)) {
			if got = string(in.Confidence); strings.Contains(in.Cause, "may have begun earlier") {
				got += ", may have begun earlier"
			}
		}
		if got != c.want {
			t.Errorf("since %q: got %q, want %q", c.since, got, c.want)
		}
	}
}

func TestAStoryOfALateWebhookBeginsWithTheRequests(t *testing.T) {
	hook := found("slow-request", "", "", "130", "160", analysis.Warning, analysis.Details{"webhook": "labels.corp", "failed": 40, "maxSeconds": 30.0})
	lease := found("lease-lost", "operator", "10.0.3.2", "97", "140", analysis.Warning, analysis.Details{"cause": "errors"})
	incidents := incident.Find(clone(t, []analysis.Finding{hook, lease}), 0)
	if want := "from " + seconds("100").Std().Format("15:04:05"); len(incidents) != 1 || !strings.HasPrefix(incidents[0].Title, want) {
		t.Errorf("got %+v, want %q", incidents, want)
	}
}

func TestAStoryNamesItsClient(t *testing.T) {
	greedy := found("throttling", "ci-bot", "10.0.2.2", "120", "180", analysis.Warning, analysis.Details{"pressure": "ci-bot", "pressureRequests": 60})
	agents := with(found("watch-stall", "dash", "10.0.3.9", "100", "200", analysis.Warning, analysis.Details{}), func(f *analysis.Finding) {
		f.Subject.UserAgent, f.Subject.Resource = "acme/1.2", "pods"
	})
	for want, findings := range map[string][]analysis.Finding{
		"ci-bot at 10.0.2.2 sends so many requests": {greedy, alike(greedy, "bob", 0)},
		"watches of 2 clients of acme are":          {agents, with(agents, func(f *analysis.Finding) { f.ID, f.Subject.SourceIP = "2", "10.0.3.10" })},
	} {
		incidents := incident.Find(clone(t, findings), 0)
		if len(incidents) != 1 || !strings.HasPrefix(incidents[0].Title, want) {
			t.Errorf("got %+v, want %q", incidents, want)
		}
	}
}

func TestSessionsBelongToTheRestartThatCutThem(t *testing.T) {
	storm := found("watch-expiry", "", "", "100", "103", analysis.Warning, analysis.Details{"kind": "storm", "clients": 25, "restart": true})
	for at, want := range map[string]int{"95": 2, "400": 1} {
		cut := found("hijacked-latency", "alice", "10.0.3.7", "10", "500", analysis.Info, analysis.Details{
			"cutByRestart": 2, "restarts": []string{seconds(at).String()},
		})
		incidents := incident.Find(clone(t, []analysis.Finding{storm, cut}), 0)
		if len(incidents) != 1 || len(incidents[0].Findings) != want {
			t.Errorf("of a start at %s s: %+v, want %d findings", at, incidents, want)
		}
	}
}

func TestStorageThatIsAwayIsToldByWhatItDid(t *testing.T) {
	timeouts := found("request-timeout", "ci-bot", "10.0.3.1", "100", "160", analysis.Warning, analysis.Details{"maxSeconds": 34.0, "timeoutSeconds": 60.0})
	timeouts.Marks = marks("timeout", "134-160")
	lease := found("lease-lost", "operator", "10.0.3.2", "97", "140", analysis.Warning, analysis.Details{"cause": "errors"})
	lease.Marks = marks("lapse", "97-140")
	beats := found("heartbeat-gap", "", "", "95", "160", analysis.Warning, analysis.Details{"failing": true})
	beats.Marks = marks("gap", "95-160")
	incidents := incident.Find(clone(t, []analysis.Finding{beats, lease, timeouts}), 0)
	if len(incidents) != 1 || !strings.HasSuffix(incidents[0].Title, ": heartbeats of nodes failed and leaders lost their leases") {
		t.Errorf("incidents %+v", incidents)
	}
}

// TestAClientThatIsRefusedUnderItsOwnLoadIsOneClient: its program and its user are
// two names, and must not read as a victim and a culprit.
func TestAClientThatIsRefusedUnderItsOwnLoadIsOneClient(t *testing.T) {
	refused := found("throttling", "ci-bot", "10.0.2.2", "120", "180", analysis.Warning, analysis.Details{"pressureRequests": 60})
	refused.Subject.UserAgent = "curl/8.5.0"
	queued := found("slow-request", "ci-bot", "10.0.2.2", "121", "180", analysis.Warning, analysis.Details{"cause": "apf-queue-wait"})
	queued.Subject.UserAgent = "curl/8.5.0"
	for pressure, want := range map[string][]string{
		"ci-bot": {"curl at 10.0.2.2, ci-bot, was refused", "the load in the worst minute was its own", "why curl at 10.0.2.2 sends"},
		"argo":   {"curl at 10.0.2.2 was refused", "the load in the worst minute was made by argo", "why argo sends"},
	} {
		refused.Details["pressure"] = pressure
		incidents := incident.Find(clone(t, []analysis.Finding{refused, queued}), 0)
		if len(incidents) != 1 {
			t.Fatalf("%s: %d incidents", pressure, len(incidents))
		}
		for _, text := range want {
			if in := &incidents[0]; !strings.Contains(in.Title+in.Remedy, text) {
				t.Errorf("load of %s: %q is not in %s %s", pressure, text, in.Title, in.Remedy)
			}
		}
	}
}

// TestSessionsThatWereCutTogetherAreOfTheStory: each is long and no more, so that
// it is told for information; that they ended at one moment is what tells.
func TestSessionsThatWereCutTogetherAreOfTheStory(t *testing.T) {
	silent := found("heartbeat-gap", "", "10.0.0.100", "100", "170", analysis.Critical, analysis.Details{"pattern": "many-nodes"})
	silent.Marks = marks("gap", "100-168 104-170")
	session := func(user, ip, spans string) analysis.Finding {
		f := found("hijacked-latency", user, ip, "20", "175", analysis.Info, analysis.Details{})
		f.Marks = marks("session", spans)
		return f
	}
	for _, c := range []struct {
		name     string
		sessions []analysis.Finding
		want     int // findings of the story
	}{
		{"one each, of three users", []analysis.Finding{session("a", "10.0.0.100", "20-169"), session("b", "10.0.0.100", "30-169.2"), session("c", "10.0.0.100", "40-169.4")}, 4},
		{"three of one user", []analysis.Finding{session("a", "10.0.0.100", "20-169 30-169.1 40-169.2 50-60")}, 2},
		{"two may be chance", []analysis.Finding{session("a", "10.0.0.100", "20-169"), session("b", "10.0.0.100", "30-169.2")}, 1},
		{"they end one by one", []analysis.Finding{session("a", "10.0.0.100", "20-120 30-140 40-169 50-169.2 60-169.4 70-172 80-175"), session("b", "10.0.0.100", "30-125")}, 1},
		{"begun when the way was there again", []analysis.Finding{session("a", "10.0.0.100", "165-169 166-169.1 167-169.2")}, 1},
		{"by another way", []analysis.Finding{session("a", "10.0.9.9", "20-169 30-169.1 40-169.2")}, 1},
	} {
		incidents := incident.Find(clone(t, append([]analysis.Finding{silent}, c.sessions...)), 0)
		if len(incidents) != 1 || len(incidents[0].Findings) != c.want {
			t.Errorf("%s: got %+v, want one incident of %d findings", c.name, incidents, c.want)
		}
	}
}

func TestWhatComesAnotherWayIsNoPartOfTheStory(t *testing.T) {
	silent := found("heartbeat-gap", "", "10.0.0.100", "100", "160", analysis.Critical, analysis.Details{"pattern": "many-nodes"})
	session := found("hijacked-latency", "bob", "10.0.9.9", "90", "150", analysis.Warning, analysis.Details{})
	incidents := incident.Find([]analysis.Finding{silent, session}, 0)
	if len(incidents) != 1 || len(incidents[0].Findings) != 1 || incidents[0].Confidence != analysis.Likely {
		t.Errorf("got %+v, want one that is likely, of the nodes alone", incidents)
	}
}
