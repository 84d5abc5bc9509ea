package parser

// openInsights opens the results of CloudWatch Logs Insights: rows of
// {"field": NAME, "value": TEXT}.
func openInsights(d *Decoder, t text, at place) bool {
	if t.data[at.start] != '[' {
		return false
	}
	rows := false
	for _, fields := range elements(t.data, at.start) {
		if t.real > 0 && fields.end > t.real {
			break // the stream's name may be in what was cut off
		}
		if t.data[fields.start] == '[' {
			openInsightsRow(d, t, fields)
			rows = true
		}
	}
	return rows
}

func openInsightsRow(d *Decoder, t text, row place) {
	message := place{}
	for _, field := range elements(t.data, row.start) {
		if t.data[field.start] != '{' {
			continue
		}
		name, ok := member(t.data, field.start, "field")
		value, ok2 := member(t.data, field.start, "value")
		if !ok || !ok2 {
			continue
		}
		switch string(scalar(t.data, name)) {
		case "@message":
			message = value
		case "@logStream":
			t.label = scalar(t.data, value)
		case "@timestamp":
			t.stamp = scalar(t.data, value)
		}
	}
	if message.end == 0 {
		in := t.inside(row.start, row.end)
		d.refuse(Foreign, &in) // the query did not ask for the message
		return
	}
	d.holdValue(&t, message)
}
