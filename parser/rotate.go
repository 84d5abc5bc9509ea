package parser

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// rotated is the name of a part that was rotated away: audit-STAMP.log, packed
// or not. The stamp is the time of rotation, so of the part's end. Source:
// lumberjack, backupName.
var rotated = regexp.MustCompile(`^(.+)-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3})(\.[^.]+)?$`)

// chain joins parts that are one log: those of one name in one directory, but
// for the stamp and the packing. The part without a stamp is the newest.
func chain(parts []*Part) []*Log {
	type stamped struct {
		part  *Part
		stamp string
	}
	logs := map[string][]stamped{}
	for _, p := range parts {
		name, stamp := splitStamp(p.Name)
		logs[name] = append(logs[name], stamped{p, stamp})
	}
	all := make([]*Log, 0, len(logs))
	for name, parts := range logs {
		slices.SortFunc(parts, func(a, b stamped) int {
			if (a.stamp == "") != (b.stamp == "") {
				return strings.Compare(b.stamp, a.stamp)
			}
			return strings.Compare(a.stamp+a.part.Name, b.stamp+b.part.Name)
		})
		log := &Log{Name: name}
		for _, p := range parts {
			log.Parts = append(log.Parts, p.part)
		}
		if len(parts) == 1 {
			log.Name = parts[0].part.Name
		}
		all = append(all, log)
	}
	slices.SortFunc(all, func(a, b *Log) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// splitStamp takes the stamp of rotation and the packing off a file's name.
func splitStamp(name string) (log, stamp string) {
	dir, base := filepath.Split(name)
	for _, ext := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, ext)
	}
	if m := rotated.FindStringSubmatch(base); m != nil {
		return dir + m[1] + m[3], m[2]
	}
	return dir + base, ""
}
