package hijackedlatency

import (
	"bytes"
	"net/url"
	"strconv"
)

// maxArgs and maxArg bound what is kept of a command line.
const (
	maxArgs = 32
	maxArg  = 256
)

// commandOf returns the command line that a request for exec asks to run: the
// values of command=, in order.
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

// requestName names a request by the hash of what all of its stages share.
func requestName(hash uint64) string { return strconv.FormatUint(hash, 16) }
