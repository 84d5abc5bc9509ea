package analysis

// caveatNoUser stands with what is found of a client in requests of httplog.
const caveatNoUser = "the requests come from httplog, which names no user: all with this address and program count as one client"

// Who names the client that a finding is about, for a title. A log that names
// no user, as httplog, and a request that failed authentication leave the
// address or the program; neither makes it system:anonymous, which is a user.
func (s Subject) Who() string {
	switch {
	case s.User != "":
		return Plain(s.User)
	case s.SourceIP != "":
		return "a client at " + Plain(s.SourceIP)
	case s.UserAgent != "":
		return "a client that calls itself " + Plain(s.UserAgent)
	}
	return "a client without a name"
}

// Kind names the resource that a finding is about, with its API group as far as
// it has one, for a title: "deployments.apps".
func (s Subject) Kind() string {
	if s.APIGroup == "" || s.Resource == "" {
		return Plain(s.Resource)
	}
	return Plain(s.Resource + "." + s.APIGroup)
}

// Text names the client, for a title.
func (c Client) Text() string {
	return Key{User: c.User, UserAgent: c.UserAgent, SourceIP: c.SourceIP}.Subject().Who()
}

// namesNoUser reports whether all that was read is requests of httplog.
func (f *Facts) namesNoUser() bool { return f.Events > 0 && f.HTTPLog == f.Events }

// sayUnnamed adds to findings about a client that it has no name in this log.
func (f *Facts) sayUnnamed(findings []Finding) {
	if !f.namesNoUser() {
		return
	}
	for i := range findings {
		if s := &findings[i].Subject; s.User == "" && (s.SourceIP != "" || s.UserAgent != "") {
			findings[i].Caveats = append(findings[i].Caveats, caveatNoUser)
		}
	}
}
