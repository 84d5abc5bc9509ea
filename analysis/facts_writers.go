package analysis

import "slices"

// maxWriters is how many writers are kept. Analyzers ask whether all are one program, and
// a controller-manager acts as some thirty users.
const maxWriters = 32

// writers are the clients that wrote, in order. If there are more than maxWriters, nothing
// is kept but Many.
type writers struct {
	List []Client `json:"list,omitempty"`
	Many bool     `json:"many,omitempty"`
}

func (w *writers) add(c Client) {
	if w.Many || slices.Contains(w.List, c) {
		return
	}
	if len(w.List) == maxWriters {
		*w = writers{Many: true}
		return
	}
	i, _ := slices.BinarySearchFunc(w.List, c, Client.compare)
	w.List = slices.Insert(w.List, i, c)
}

func (w *writers) merge(o *writers) {
	if o.Many {
		*w = writers{Many: true}
		return
	}
	for _, c := range o.List {
		w.add(c)
	}
}
