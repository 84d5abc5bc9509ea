package picture

// A Tone says what a kind of mark means, and thereby how its bars are drawn.
type Tone string

// The tones.
const (
	Activity Tone = "activity" // something goes on
	Loss     Tone = "loss"     // something that should be there is gone
	Alive    Tone = "alive"    // all is well, drawn so that losses stand out
	Open     Tone = "open"     // something has no end
	Moment   Tone = "moment"   // something happens
)

// A Kind is a kind of mark, in words.
type Kind struct {
	Name   string // the mark's kind
	One    string // singular: "session"
	Many   string // plural
	Legend string // what it means, for the legend
	Tone   Tone
}

// kinds are the kinds of marks that analyzers make. Each analyzer's document says
// when its marks begin and end.
var kinds = []Kind{
	{"round", "watch", "watches", "a watch that begins at the version in question", Activity},
	{"backwards", "step back", "steps back", "a watch that goes back to an older version", Activity},
	{"outage", "time gone", "times gone", "deleted until created again, or to the log's end", Loss},
	{"session", "session", "sessions", "a session", Activity},
	{"open", "session without end", "sessions without end", "a session that the log does not see end", Open},
	{"gap", "silence", "silences", "no sign of life", Loss},
	{"elsewhere", "time elsewhere", "times elsewhere", "heard by an API server whose log is not here", Activity},
	{"failing", "time of failed beats", "times of failed beats", "heartbeats that failed, or had no answer", Loss},
	{"heard", "time heard", "times heard", "heartbeats and other signs of life", Alive},
	{"status", "status write", "status writes", "the node-controller wrote the node's status", Moment},
	{"lapse", "lapse", "lapses", "a lease that nobody renewed in time", Loss},
	{"overdue", "overdue watch", "overdue watches", "a watch beyond the time it asked for", Activity},
	{"pile", "watch in a pile", "watches in a pile", "many watches open at once", Activity},
	{"storm", "list", "lists", "many clients list anew", Activity},
	{"list", "run of lists", "runs of lists", "lists at one version", Activity},
	{"expired", "expired watch", "expired watches", "a watch that ended at once", Moment},
	{"loop", "burst of writes", "bursts of writes", "writes of one object", Activity},
	{"slow", "slow request", "slow requests", "a slow request", Activity},
	{"overrun", "overrun", "overruns", "a request that was worked on beyond its timeout", Activity},
	{"unfinished", "request without end", "requests without end", "a request that never ended", Open},
	{"timeout", "timeout", "timeouts", "requests that timed out", Moment},
	{"failure", "failure", "failures", "requests that failed", Moment},
	{"refused", "refusal", "refusals", "requests that were refused", Moment},
	{"panic", "panic", "panics", "a panic", Moment},
	{"abort", "abort", "aborts", "a connection cut on purpose", Moment},
}

// kindOf returns the kind of a name. A kind that this version does not know is drawn
// under its name.
func kindOf(name string) Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return Kind{name, name, name, name, Activity}
}
