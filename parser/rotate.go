package parser

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// rotated are the names of parts that were rotated away. The first is the API
// server's own: audit-STAMP.log. Source: lumberjack, backupName. The others are
// logrotate's, audit.log.N, of which a higher number is older, and those with a
// date: audit.log-20261129 (logrotate's dateext), 0.log.20261129-140501 (the
// kubelet's, of containers). The log's own name must have an ending there:
// numbers behind other names may count servers.
var rotated = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^(?P<log>.+)-(?P<stamp>\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3})(?P<ext>\.[^.]+)?$`),
		regexp.MustCompile(`^(?P<log>.+\.[A-Za-z]\w*)\.(?P<number>\d{1,3})$`),
		regexp.MustCompile(`^(?P<log>.+\.[A-Za-z]\w*)[-.](?P<stamp>\d{4}-?\d{2}-?\d{2}([-T]?\d{2,10})?)$`),
	}
})

// chain joins parts that are one log: those of one name in one directory, but
// for the stamp and the packing. The part without a stamp is the newest.
func chain(parts []*Part) []*Log {
	logs := map[string]*Log{}
	all := make([]*Log, 0, len(parts))
	for _, p := range parts {
		name, _ := splitStamp(p.Name)
		log := logs[name]
		if log == nil {
			log = &Log{Name: name, Label: origin(name)}
			logs[name] = log
			all = append(all, log)
		}
		log.Parts = append(log.Parts, p)
	}
	for _, log := range all {
		slices.SortFunc(log.Parts, oldestFirst)
		if len(log.Parts) == 1 {
			log.Name = log.Parts[0].Name
		}
	}
	slices.SortFunc(all, func(a, b *Log) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// oldestFirst orders the parts of a log.
func oldestFirst(a, b *Part) int {
	_, x := splitStamp(a.Name)
	_, y := splitStamp(b.Name)
	if (x == "") != (y == "") {
		return strings.Compare(y, x)
	}
	return strings.Compare(x+a.Name, y+b.Name)
}

// splitStamp takes the stamp of rotation and the packing off a file's name.
func splitStamp(name string) (log, stamp string) {
	dir, base := filepath.Split(name)
	for _, ext := range []string{".gz", ".zst", ".bz2", ".xz"} {
		base = strings.TrimSuffix(base, ext)
	}
	for _, form := range rotated() {
		m := form.FindStringSubmatch(base)
		if m == nil {
			continue
		}
		part := func(name string) string {
			if i := form.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		if n, err := strconv.Atoi(part("number")); err == nil {
			return dir + part("log"), fmt.Sprintf("%03d", 999-n)
		}
		return dir + part("log") + part("ext"), part("stamp")
	}
	return dir + base, ""
}
