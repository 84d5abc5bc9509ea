package parser

// openMessage opens the MESSAGE of a record of journalctl -o json: a text, or
// the numbers of its bytes where one is no printable character.
func openMessage(d *Decoder, t text, at place) bool {
	if t.data[at.start] != '[' {
		first := len(d.texts)
		d.holdValue(&t, at)
		return len(d.texts) > first // journalctl leaves out what is long, without --all
	}
	from := len(d.arena)
	for _, number := range elements(t.data, at.start) {
		value := 0
		for _, c := range t.data[number.start:number.end] {
			if value = value*10 + int(c-'0'); !isDigit(c) || value > 255 {
				d.arena = d.arena[:from]
				return false
			}
		}
		d.arena = append(d.arena, byte(value))
	}
	d.hold(t.holding(d.arena[from:len(d.arena):len(d.arena)], at.start))
	return true
}
