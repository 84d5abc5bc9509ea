package parser

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// rotated is the name of a part that was rotated away: audit-STAMP.log, packed
// or not. The stamp is the time of rotation, so of the part's end. Source:
// lumberjack, backupName.
var rotated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3})(\.[^.]+)?$`)
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
	if m := rotated().FindStringSubmatch(base); m != nil {
		return dir + m[1] + m[3], m[2]
	}
	return dir + base, ""
}
