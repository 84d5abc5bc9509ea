package query

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/kaudit/kaudit/audit"
)

// maxVerdicts is how many names of one field a matcher remembers. A log with more
// costs time, not memory.
const maxVerdicts = 1 << 14

// remember returns decide with a memory of what it returned: names recur, the last
// one most of all.
func remember[K comparable](decide func(K) bool) func(K) bool {
	var last K
	verdict := decide(last)
	seen := map[K]bool{}
	return func(key K) bool {
		if key == last {
			return verdict
		}
		found, ok := seen[key]
		if !ok {
			if len(seen) >= maxVerdicts {
				clear(seen)
			}
			found = decide(key)
			seen[key] = found
		}
		last, verdict = key, found
		return found
	}
}

// addSyms adds a condition on a name that is interned.
func (c *Condition) addSyms(flag string, values []string, field func(*audit.Event) audit.Sym) error {
	chosen, err := parseChoice(flag, values, parsePattern)
	if err != nil || len(values) == 0 {
		return err
	}
	c.parts = append(c.parts, part{flag, values, func(f *fitting) test {
		fits := remember(func(s audit.Sym) bool {
			fits := fitsText(&chosen, []byte(s.String()))
			if !fits && f.looks() {
				f.near.see(s.String())
			}
			return fits
		})
		return func(e *audit.Event) bool { return fits(field(e)) }
	}})
	return nil
}

func fitsText(c *choice[pattern], s []byte) bool {
	return c.fits(func(p *pattern) bool { return p.fits(s) })
}

// addText adds a condition on a text that differs from event to event, so that it
// is not worth remembering.
func (c *Condition) addText(flag string, values []string, field func(*audit.Event) audit.View) error {
	chosen, err := parseChoice(flag, values, parsePattern)
	if err != nil || len(values) == 0 {
		return err
	}
	c.parts = append(c.parts, part{flag, values, func(f *fitting) test {
		missed := map[string]bool{}
		return func(e *audit.Event) bool {
			text := field(e)
			fits := fitsText(&chosen, text)
			// A log has many names: only those that the other flags choose are of use.
			if !fits && f.reached && f.looks() && !missed[string(text)] {
				if len(missed) >= maxVerdicts {
					clear(missed)
				}
				missed[string(text)] = true
				f.near.see(string(text))
			}
			return fits
		}
	}})
	return nil
}

// addWords adds a condition on a field that has one of a few known words. Upper and
// lower case are the same.
func (c *Condition) addWords(flag string, values, known []string, field func(*audit.Event) string) error {
	values = split(values)
	chosen, err := parseChoice(flag, values, func(text string) (pattern, error) {
		if isExpression(text) {
			return parsePattern("/(?i)" + text[1:])
		}
		p, err := parsePattern(strings.ToLower(text))
		if p.isLiteral() && !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, text) }) {
			return p, &ValueError{Err: errors.New("it must be " + strings.Join(known, ", ")), Word: text, Known: known}
		}
		return p, err
	})
	if err != nil || len(values) == 0 {
		return err
	}
	fits := map[string]bool{}
	for _, word := range append(known, "") {
		fits[word] = fitsText(&chosen, []byte(strings.ToLower(word)))
	}
	c.add(flag, values, func(e *audit.Event) bool { return fits[field(e)] })
	return nil
}

func stageName(e *audit.Event) string { return e.Stage.String() }
func levelName(e *audit.Event) string { return e.Level.String() }

func knownStages() []string {
	return []string{"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"}
}

func knownLevels() []string { return []string{"Metadata", "Request", "RequestResponse"} }

// Verbs returns the verbs of the API, and the HTTP methods of requests outside it.
func Verbs() []string {
	return []string{
		"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
		"post", "put", "head", "options", "connect", "proxy",
	}
}

// podVerbs are verbs of kubectl for which the API has a subresource of pods.
var podVerbs = map[string]string{
	"exec": "exec", "attach": "attach", "logs": "log", "log": "log", "port-forward": "portforward", "portforward": "portforward",
	"evict": "eviction", "eviction": "eviction",
}

// addVerbs adds a condition on the verb. A word that is no verb is an error:
// whoever asks for "deleted" must not be told that nothing was deleted.
func (c *Condition) addVerbs(values []string) error {
	values = split(values)
	for _, value := range values {
		verb := strings.TrimPrefix(value, "!")
		if isExpression(value) || strings.Contains(verb, "*") || slices.Contains(Verbs(), verb) {
			continue
		}
		mistake := &ValueError{
			Flag: "--verb", Value: value, Err: errors.New("there is no such verb"), Word: verb, Known: Verbs(),
			Advice: fmt.Sprintf("verbs are %s; for another one write --verb '/^%s$/'", strings.Join(Verbs(), ", "), verb),
		}
		if sub := podVerbs[verb]; sub != "" {
			mistake.Known, mistake.Advice = nil, "that is done to a part of a pod: --resource pods/"+sub
		}
		return mistake
	}
	return c.addSyms("--verb", values, func(e *audit.Event) audit.Sym { return e.Verb })
}

// An address is a value of --source-ip: a network, or a text.
type address struct {
	network netip.Prefix
	text    pattern
}

func parseAddress(text string) (a address, err error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return address{network: network.Masked()}, nil
	}
	if ip, err := netip.ParseAddr(text); err == nil {
		ip = ip.Unmap()
		return address{network: netip.PrefixFrom(ip, ip.BitLen())}, nil
	}
	if a.text, err = parsePattern(text); err == nil && a.text.isLiteral() {
		err = &ValueError{
			Err:    errors.New("it is neither an address nor a network"),
			Advice: "give an address such as 10.0.0.7 or fd00::7, a network such as 10.0.0.0/8, or a pattern such as '10.0.*'",
		}
	}
	return a, err
}

func (a *address) fits(ip string) bool {
	if !a.network.IsValid() {
		return a.text.fits([]byte(ip))
	}
	addr, err := netip.ParseAddr(ip)
	return err == nil && a.network.Contains(addr.Unmap())
}

// addAddresses adds a condition on the client's addresses, of which one must match,
// forwarded or not.
func (c *Condition) addAddresses(values []string) error {
	chosen, err := parseChoice("--source-ip", values, parseAddress)
	if err != nil || len(values) == 0 {
		return err
	}
	c.parts = append(c.parts, part{"--source-ip", values, func(*fitting) test {
		wanted := remember(func(ip audit.Sym) bool { return anyFits(chosen.any, ip) })
		refused := remember(func(ip audit.Sym) bool { return anyFits(chosen.none, ip) })
		return func(e *audit.Event) bool {
			return !slices.ContainsFunc(e.SourceIPs, refused) &&
				(len(chosen.any) == 0 || slices.ContainsFunc(e.SourceIPs, wanted))
		}
	}})
	return nil
}

func anyFits(addresses []address, ip audit.Sym) bool {
	return slices.ContainsFunc(addresses, func(a address) bool { return a.fits(ip.String()) })
}
