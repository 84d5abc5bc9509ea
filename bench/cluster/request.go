package cluster

import (
	"container/heap"
	"fmt"
	"strconv"
	"strings"
	"time"
)

type stage string

const (
	received stage = "RequestReceived"
	started  stage = "ResponseStarted"
	complete stage = "ResponseComplete"
)

// An object is what a request is about. Its name is empty for lists.
type object struct {
	group, resource, namespace, name, subresource string
}

// A request is one call of a client. Its stages are written as their times
// come.
type request struct {
	client    *client
	verb, uri string
	object    object
	code      int
	status    string // of an answer that is no success
	received  int64
	id        uint64
	rv        uint64 // what an update is based on; 0 if none
	request   template
	response  template
	items     int // of a list
	then      func()
}

// path returns the path of the object's URL.
func (o object) path() string {
	var b strings.Builder
	b.WriteString("/api/v1")
	if o.group != "" {
		b.Reset()
		b.WriteString("/apis/" + o.group + "/v1")
	}
	if o.namespace != "" {
		b.WriteString("/namespaces/" + o.namespace)
	}
	b.WriteString("/" + o.resource)
	for _, s := range []string{o.name, o.subresource} {
		if s != "" {
			b.WriteString("/" + s)
		}
	}
	return b.String()
}

// do puts the stages of a request on the agenda: it is answered after some
// milliseconds.
func (c *Cluster) do(r *request) {
	c.begin(r)
	c.stage(r, complete, c.rand.Int64N(4*millis)+c.rand.Int64N(8*millis)+600)
}

// begin receives r. A policy that records bodies leaves this stage out, as
// most do: it holds none.
func (c *Cluster) begin(r *request) {
	r.id, r.received = c.rand.Uint64(), c.now
	if !c.Bodies {
		c.stage(r, received, 0)
	}
}

// stage writes a stage of r in d microseconds.
func (c *Cluster) stage(r *request, s stage, d int64) {
	c.seq++
	heap.Push(&c.agenda, moment{at: c.now + d, seq: c.seq, request: r, stage: s})
}

func (c *Cluster) get(who *client, o object, query string, body template) {
	c.do(&request{client: who, verb: "get", uri: o.path() + query, object: o, code: 200, response: body})
}

func (c *Cluster) list(who *client, o object) {
	c.do(&request{client: who, verb: "list", uri: o.path() + "?limit=500", object: o, code: 200, response: podBody, items: 12})
}

func (c *Cluster) update(who *client, o object, query string, body template) {
	c.write(&request{client: who, verb: "update", uri: o.path() + query, object: o, code: 200, request: body, response: body, rv: c.rv})
}

func (c *Cluster) patch(who *client, o object, query string, body template) {
	c.write(&request{client: who, verb: "patch", uri: o.path() + query, object: o, code: 200, request: patchBody, response: body})
}

func (c *Cluster) create(who *client, o object, body template) {
	collection := o
	if o.subresource == "" {
		collection.name = ""
	}
	c.write(&request{client: who, verb: "create", uri: collection.path(), object: o, code: 201, request: body, response: body})
}

func (c *Cluster) remove(who *client, o object, body template) {
	c.write(&request{client: who, verb: "delete", uri: o.path(), object: o, code: 200, request: deleteBody, response: body})
}

func (c *Cluster) write(r *request) {
	c.rv++
	c.do(r)
}

// missing asks for something that is not there.
func (c *Cluster) missing(who *client, o object) {
	status := fmt.Sprintf(`{"metadata":{},"status":"Failure","message":"%[1]s.%[2]s \"%[3]s\" not found","reason":"NotFound",`+
		`"details":{"name":"%[3]s","group":"%[2]s","kind":"%[1]s"},"code":404}`, o.resource, o.group, o.name)
	c.do(&request{client: who, verb: "get", uri: o.path(), object: o, code: 404, status: status})
}

func (c *Cluster) path(who *client, path string) {
	c.do(&request{client: who, verb: "get", uri: path, code: 200})
}

// watch keeps a watch open: when the server ends one, the client opens the
// next from where it is. The first one was opened before the log begins.
func (c *Cluster) watch(who *client, o object, selector string) {
	r, lasts := c.newWatch(who, o, selector)
	left := c.rand.Int64N(lasts)
	r.id, r.received = c.rand.Uint64(), c.now+left-lasts
	c.stage(r, complete, left)
}

func (c *Cluster) newWatch(who *client, o object, selector string) (r *request, lasts int64) {
	collection := o
	collection.name = ""
	seconds := 300 + c.rand.Int64N(300)
	uri := fmt.Sprintf("%s?allowWatchBookmarks=true%s&resourceVersion=%d&timeoutSeconds=%d&watch=true", collection.path(), selector, c.rv, seconds)
	again := func() {
		next, lasts := c.newWatch(who, o, selector)
		c.begin(next)
		c.stage(next, started, millis+c.rand.Int64N(3*millis))
		c.stage(next, complete, lasts)
	}
	then := func() { c.after(2*millis+c.rand.Int64N(50*millis), again) }
	return &request{client: who, verb: "watch", uri: uri, object: o, code: 200, then: then}, seconds*second + c.rand.Int64N(4*millis)
}

// appendEvent appends a stage of r as the API server writes it.
func (c *Cluster) appendEvent(b []byte, r *request, s stage) []byte {
	level := "Metadata"
	if c.Bodies {
		level = "RequestResponse"
	}
	b = append(b, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"`...)
	b = append(b, level...)
	b = append(b, `","auditID":"`...)
	b = appendUID(b, r.id)
	b = append(b, `","stage":"`...)
	b = append(b, s...)
	b = append(b, `","requestURI":"`...)
	b = append(b, strings.ReplaceAll(r.uri, "&", `\u0026`)...)
	b = append(b, `","verb":"`...)
	b = append(b, r.verb...)
	b = append(b, `","user":`...)
	b = append(b, r.client.user...)
	b = append(b, `,"sourceIPs":["`...)
	b = append(b, r.client.ip...)
	b = append(b, `"],"userAgent":"`...)
	b = append(b, r.client.agent...)
	b = append(b, '"')
	if r.object.resource != "" {
		b = r.appendObject(b, s)
	}
	if s != received {
		b = c.appendAnswer(b, r, s)
	}
	b = append(b, `,"requestReceivedTimestamp":"`...)
	b = appendTime(b, r.received)
	b = append(b, `","stageTimestamp":"`...)
	b = appendTime(b, c.now)
	b = append(b, '"')
	if s != received {
		b = append(b, `,"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":`...)
		b = append(b, r.client.reason...)
		b = append(b, '}')
	}
	return append(b, '}', '\n')
}

// appendObject appends the object's reference. What is in the body (a name,
// what an update is based on) the API server knows once it has read it.
func (r *request) appendObject(b []byte, s stage) []byte {
	add := func(key, value string) {
		if value != "" {
			b = append(b, ',', '"')
			b = append(b, key...)
			b = append(b, '"', ':', '"')
			b = append(b, value...)
			b = append(b, '"')
		}
	}
	o := r.object
	b = append(b, `,"objectRef":{"resource":"`...)
	b = append(b, o.resource...)
	b = append(b, '"')
	add("namespace", o.namespace)
	if r.verb != "create" || s != received || o.subresource != "" {
		add("name", o.name)
	}
	add("apiGroup", o.group)
	add("apiVersion", "v1")
	if r.rv != 0 && s != received {
		add("resourceVersion", strconv.FormatUint(r.rv, 10))
	}
	add("subresource", o.subresource)
	return append(b, '}')
}

func (c *Cluster) appendAnswer(b []byte, r *request, s stage) []byte {
	b = append(b, `,"responseStatus":`...)
	if r.status != "" {
		b = append(b, r.status...)
	} else {
		b = append(b, `{"metadata":{},"code":`...)
		b = strconv.AppendInt(b, int64(r.code), 10)
		b = append(b, '}')
	}
	if !c.Bodies || s != complete {
		return b
	}
	if r.request != nil {
		b = append(b, `,"requestObject":`...)
		b = r.request.append(b, r, c)
	}
	if r.response != nil {
		b = append(b, `,"responseObject":`...)
		b = c.appendResponse(b, r)
	}
	return b
}

func (c *Cluster) appendResponse(b []byte, r *request) []byte {
	if r.items == 0 {
		return r.response.append(b, r, c)
	}
	b = append(b, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"`...)
	b = strconv.AppendUint(b, c.rv, 10)
	b = append(b, `"},"items":[`...)
	for i := range r.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.response.append(b, r, c)
	}
	return append(b, ']', '}')
}

func appendUID(b []byte, n uint64) []byte {
	const hex = "0123456789abcdef"
	m := n*0x9e3779b97f4a7c15 + 1
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b = append(b, '-')
		}
		if i == 16 {
			n = m
		}
		b = append(b, hex[n&15])
		n >>= 4
	}
	return b
}

func appendTime(b []byte, micros int64) []byte {
	return time.UnixMicro(micros).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
}
