package parser

// A label makes the names of logs from the labels that carriers give their lines:
// lines of several nodes or pods in one file are several logs, FILE#LABEL. It
// remembers the names, which recur.
type label struct {
	file, text, name string
	names            map[string]string // by file, a newline, and label
}

// maxLabels is how many names are remembered. No cluster has so many API servers.
const maxLabels = 4096

// log returns the name of a log in a file.
func (l *label) log(file string, text []byte) string {
	if l.file == file && l.text == string(text) {
		return l.name
	}
	if l.names == nil || l.file != file || len(l.names) > maxLabels {
		l.file, l.names = file, map[string]string{}
	}
	name, ok := l.names[string(text)]
	if !ok {
		name = file + "#" + clean(text)
		l.names[string(text)] = name
	}
	l.text, l.name = string(text), name
	return name
}

// maxLabel is how long a label may be: twice the longest name of a node.
const maxLabel = 512

// clean returns a label with printable ASCII only, cut at maxLabel.
func clean(text []byte) string {
	kept := make([]byte, 0, min(len(text), maxLabel))
	for _, c := range text[:min(len(text), maxLabel)] {
		if c > ' ' && c < 0x7f {
			kept = append(kept, c)
		} else if c == ' ' || c == '\t' {
			kept = append(kept, ' ')
		}
	}
	return string(kept)
}
