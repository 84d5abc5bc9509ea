package parser

// openTables opens an answer of Log Analytics' API, or of Kusto's: tables with
// the names of their columns once, and a list of values a row. A row is put
// into an object, as the command line has it.
func openTables(d *Decoder, t text, at place) bool {
	first := len(d.texts)
	if t.data[at.start] != '[' {
		return false
	}
	for _, table := range elements(t.data, at.start) {
		if t.data[table.start] != '{' {
			continue
		}
		var columns []place
		for key, value := range membersOf(t.data, table.start) {
			switch string(key) {
			case "columns", "Columns":
				columns = columnNames(t.data, value)
			case "rows", "Rows":
				d.holdRows(&t, columns, value)
			}
		}
	}
	return len(d.texts) > first
}

// columnNames returns where the names of columns stand, with their quotes.
func columnNames(b []byte, at place) (names []place) {
	if b[at.start] != '[' {
		return nil
	}
	for _, column := range elements(b, at.start) {
		name := place{}
		if b[column.start] == '{' {
			for key, value := range membersOf(b, column.start) {
				if k := string(key); (k == "name" || k == "ColumnName") && b[value.start] == '"' {
					name = value
				}
			}
		}
		names = append(names, name)
	}
	return names
}

// holdRows holds the rows of a table, as far as they are whole.
func (d *Decoder) holdRows(t *text, columns []place, at place) {
	if t.data[at.start] != '[' {
		return
	}
	for _, row := range elements(t.data, at.start) {
		if t.data[row.start] != '[' || t.real > 0 && row.end > t.real {
			continue
		}
		from, open := len(d.arena), byte('{')
		for n, value := range elements(t.data, row.start) {
			if n >= len(columns) || columns[n].end == 0 {
				continue
			}
			d.arena = append(append(d.arena, open), t.data[columns[n].start:columns[n].end]...)
			d.arena = append(append(d.arena, ':'), t.data[value.start:value.end]...)
			open = ','
		}
		if open == '{' {
			d.arena = append(d.arena, '{')
		}
		d.arena = append(d.arena, '}')
		d.hold(t.holding(d.arena[from:len(d.arena):len(d.arena)], row.start))
	}
}
