package hijackedlatency

import (
	"bytes"
	"net/url"
	"strconv"
)

// What is kept of a command line.
const (
	maxArgs = 32  // arguments
	maxArg  = 256 // bytes of each
)

// commandOf returns the command line that an exec request asks to run: the values
// of the query parameter command, in order.
func commandOf(uri []byte) (argv []string) {
	_, query, _ := bytes.Cut(uri, []byte("?"))
	for len(query) > 0 && len(argv) < maxArgs {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		value, ok := bytes.CutPrefix(pair, []byte("command="))
		if !ok {
			continue
		}
		arg, err := url.QueryUnescape(string(value))
		if err != nil {
			arg = string(value)
		}
		argv = append(argv, arg[:min(len(arg), maxArg)])
	}
	return argv
}

// requestName turns the hash of a request, which all its stages share (see
// tally.RequestHash), into a key for a tally.
func requestName(hash uint64) string { return strconv.FormatUint(hash, 16) }
