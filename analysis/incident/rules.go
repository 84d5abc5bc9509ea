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
		return watches(f, "services", "endpoints") && f.Details.Text("kind") != "from-zero"
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
		"A client falls back to an old version where DELETED events carry the version of the object's last update: " +
		"kubernetes 58545, fixed by 58547 in Kubernetes 1.10 and in later patch releases of 1.7 to 1.9; " +
		"kubernetes 64209 describes this loop.",
	remedy: "Restart the kube-controller-manager that leads: it lists {scope} anew and goes on from the newest version. " +
		"Or change a service, say by annotating it, so that its resourceVersion becomes the newest and the watch moves on. " +
		"Then upgrade Kubernetes to a release that has the fix.",
	avoid: "Deleting or restarting pods and deployments does not help: it does not move the watch of {scope}. " +
		"Deleting and re-creating the service adds one more deletion to replay.",
	proof: "After the restart or the change, watches of {scope} by this client start from a higher resourceVersion and the endpoints stay. " +
		"Before it, watching {scope} from {version} by hand (kubectl get --raw) shows the deletions that are sent again.",

	words:    replayWords,
	timeline: replayTimeline,
}}
