package incident_test

import (
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analysis/incident"
)

func TestFindingsThatShareACauseAreOneIncident(t *testing.T) {
	for _, c := range []struct {
		name  string
		scene string
		want  string // the incident's rule, "" for none
	}{
		{"writes time out and a lease is lost", "timeouts + lease", "storage-away"},
		{"a lease is lost ten minutes later", "timeouts + lease by=600", ""},
		{"a lease is lost by a silent holder", "timeouts + lease cause=silence", ""},
		{"timeouts alone", "timeouts", ""},
		{"a lease is lost just before the first write that times out", "timeouts + lease by=-10", "storage-away"},
		{"a lease is lost half a minute before", "timeouts + lease by=-25", ""},
		{"a lease is renewed again before anything times out", "timeouts + lease marks=lapse:85-99", ""},
		{"a lease is lost for the want of a permission", "timeouts + forbidden", ""},
		{"requests that never ended, and a lease", "timeouts marks=unfinished:100-160,101-161,102-162 + lease", ""},
		{"requests that outlived the timeout, and a lease", "timeouts marks=overrun:100-190 + lease", ""},
		{"beats that fail as writes do", "timeouts + beats", "storage-away"},
		{"nodes that send nothing", "timeouts + beats unfailing", ""},
		{"no node sends anything", "timeouts + beats bare pattern=all-nodes", "storage-away"},
		{"requests of two clients that etcd times out", "timeouts etcdTimeouts=3 resource=pods + timeouts etcdTimeouts=3 resource=pods far user=bob + leader", "storage-slow"},
		{"requests that etcd times out, of others, and a lease", "timeouts etcdTimeouts=3 resource=pods + timeouts etcdTimeouts=3 resource=pods far user=bob by=70 + lease + leader", "storage-away"},
		{"etcd that had no leader, and a lease", "leader + lease", ""},
		{"etcd that is full, and a lease", "full + lease", "not-served"},
		{"requests of two clients for one resource that time out", "timeouts acme + timeouts acme far", "slow-resource"},
		{"requests of two clients for two resources that time out", "timeouts acme + timeouts acme far resource=nodes", ""},

		{"a webhook that is gone, beats and a lease", "hook + beats + lease", "not-served"},
		{"a webhook that is gone, and a lease lost by a silent holder", "hook + lease cause=silence", ""},
		{"a lease is lost half a minute before a webhook is gone", "hook + lease by=-25", ""},
		{"beats fail, and objects can't be converted", "hook kind=conversion + beats", ""},
		{"a webhook that is gone for a moment, and beats", "hook info + beats", ""},
		{"a webhook that does not answer, beats and a lease", "slowHook + beats + lease", "served-too-late"},
		{"a webhook that does not answer, and a lease lost half a minute before", "slowHook + lease by=-25", ""},
		{"a webhook that is done without, and beats", "slowHook failedOpen=41 + beats", ""},

		{"kubelets that are not known any more, and nodes", "kubelets + gone", "unknown-kubelets"},
		{"a kubelet that is not known, and six nodes", "kubelets members=0 + gone", ""},
		{"kubelets that were refused tokens, and nodes", "tokens + gone", ""},
		{"nodes that fell silent before kubelets were refused", "kubelets + gone by=-25", ""},

		{"a relist storm and sessions that were cut", "storm + cut", "api-server-restart"},
		{"a relist storm alone", "storm", "api-server-restart"},
		{"a relist storm of a server that was told to stop", "storm restart=false stopped=true", "api-server-restart"},
		{"a relist storm, and the server's own watches live on", "storm restart=false stopped=false + lease", "connections-lost"},
		{"a relist storm of some", "storm info", ""},
		{"nodes and sessions behind one address", "silent + sessions", "load-balancer"},
		{"nodes behind one address", "silent", "load-balancer"},
		{"nodes of many addresses", "silent ip= + sessions", ""},
		{"a node that is silent three times", "gap + gap by=300 + gap by=900", "unsteady-node"},
		{"a node that is silent twice, once perhaps", "gap + gap by=300 possible", ""},
		{"two nodes that are silent one after the other", "gap + gap by=300 node=node-8", ""},

		{"a loop and others refused", "loop + refused pressure=argo", "runaway-client"},
		{"a loop and others refused, with nobody who made the load", "loop + refused bare", "runaway-client"},
		{"a loop, and writes of others that wait", "loop + queued user=bob resource=events", "runaway-client"},
		{"a loop, and writes of others that a webhook holds up", "loop + queued user=bob resource=events cause=webhook", ""},
		{"a loop that refuses itself and others, some for information", "refused pressure=argo argos + loop + refused pressure=argo + refused pressure=argo user=bob resource=events info", "runaway-client"},
		{"a loop, and one refused under a load of its own", "loop + refused", ""},
		{"a loop that is refused alone", "loop + refused pressure=argo argos", ""},
		{"a loop that refuses itself", "loop + refused user=argo", ""},
		{"a loop for information", "loop info + refused", ""},

		{"a client that is refused most, and others", "refused + refused user=bob resource=events info", "greedy-client"},
		{"others, whose load somebody else made", "refused user=bob resource=events + refused user=carol resource=events", ""},
		{"a client refused on two resources and in a queue", "refused + refused resource=events + queued", "throttled-client"},
		{"a client refused where nobody made the load", "refused bare + queued", ""},
		{"clients refused where nobody made the load", "refused bare refused=20 user=ann + refused bare refused=20 user=bob + refused bare refused=20 user=carol", "overload"},
		{"clients refused at two times where nobody made the load", "refused bare refused=20 user=ann + refused bare refused=20 user=bob by=600", ""},
		{"clients refused apart", "refused + refused resource=events by=600", ""},

		{"one client's loops at expired versions", "loops + expired", "expired-version"},
		{"another client's expired versions", "loops + expired user=bob", ""},
		{"one client's watches from a version that expired", "loops kind=same-rv + expired", "expired-version"},
		{"one client's watches that went back, and expired", "loops kind=backwards + expired", ""},
		{"lists of one client without end", "expired + lists", "relisting-client"},
		{"versions that clients of one program can't go on from", "expired acme + expired acme far", "relisting-program"},
		{"sessions of two users cut at one length", "idle + idle user=carol resource=events cutAtSeconds=61", "idle-timeout"},
		{"sessions cut at two lengths", "idle + idle user=carol resource=events cutAtSeconds=90", ""},
		{"watches that one client does not read", "stalled + pile", "stalled-reader"},
		{"watches of which one can't be told from healthy", "stalled + pile possible", ""},
		{"watches that clients of one program do not read", "stalled acme + stalled acme far", "stalled-reader"},
		{"watches that clients of two programs do not read", "stalled acme + stalled acme far other", ""},
		{"watches of clients of one program that are stuck", "stuck acme + stuck acme far", "stuck-program"},
		{"watches of one program's clients that are stuck on two resources", "stuck acme + stuck acme far resource=endpoints", ""},
		{"endpoints that one client deletes", "flapA + flapB + flapC", "swept-endpoints"},
	} {
		findings := scene(t, c.scene)
		got := ""
		for _, in := range incident.Find(clone(t, findings), 0) {
			rule, _, _ := strings.Cut(in.ID, "/")
			got += rule
			if len(in.Findings) != len(findings) || len(in.Timeline) != len(findings) || in.Remedy == "" || in.Proof == "" {
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
		"ci-bot at 10.0.2.2 sends so many requests": {greedy, with(greedy, func(f *analysis.Finding) { f.ID, f.Subject.User, f.Subject.Resource = "2", "bob", "events" })},
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

// TestNodesThatWereHeardBeforeAreNoEffect: a storm begins 100 s after the beginning.
func TestNodesThatWereHeardBeforeAreNoEffect(t *testing.T) {
	for _, c := range []struct {
		name, scene string
		findings    int // of the incident
	}{
		{"nodes that were heard again half a minute before", "storm + gone by=-25 to=70", 1},
		{"nodes that were silent when it began", "storm + gone by=-25 to=110", 2},
		{"nodes that were heard again at once", "storm + gone by=-25 to=98", 2},
		{"nodes that fell silent after it", "storm + gone by=20", 2},
		{"nodes that fell silent long after it", "storm + gone by=200", 1},
	} {
		incidents := incident.Find(scene(t, c.scene), 0)
		if len(incidents) != 1 || len(incidents[0].Findings) != c.findings {
			t.Errorf("%s: got %+v, want one incident of %d findings", c.name, incidents, c.findings)
		}
	}
}

// TestAStoryHasARoot: of two storms, one is near what was lost and the other began before it, but
// neither is both.
func TestAStoryHasARoot(t *testing.T) {
	for _, text := range []string{
		"storm by=-300 + storm + gone by=-25 to=70",
		"storm + storm by=-600 + lease by=-90 to=50 cause=silence",
	} {
		for _, in := range incident.Find(scene(t, text), 0) {
			if len(in.Findings) != 1 {
				t.Errorf("%s: got an incident of %v", text, in.Findings)
			}
		}
	}
}
