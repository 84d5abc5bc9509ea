package parser

// peelCRI: the files below /var/log/pods, which containerd and CRI-O write:
//
//	TIME stdout|stderr P|F TEXT
//
// P marks a piece that the next line of that output continues, F the last piece
// or a whole line. The CRI allows more tags behind a colon.
func peelCRI(line []byte) (p peeled, ok bool) {
	i := stampEnd(line)
	if i == 0 || len(line)-i < len(" stdout F") {
		return p, false
	}
	p.stamp = line[:i]
	switch string(line[i : i+len(" stdout ")]) {
	case " stdout ":
		p.output = stdout
	case " stderr ":
		p.output = stderr
	default:
		return p, false
	}
	i += len(" stdout ")
	p.more = line[i] == 'P'
	if !p.more && line[i] != 'F' {
		return p, false
	}
	i++
	if i < len(line) && line[i] == ':' {
		for i < len(line) && line[i] != ' ' {
			i++
		}
	}
	if i < len(line) && line[i] != ' ' {
		return p, false
	}
	p.text = min(i+1, len(line))
	return p, true
}
