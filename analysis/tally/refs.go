package tally

import "github.com/kaudit/kaudit/audit"

// Refs keeps references to the K earliest of the events added. A reference is
// made only if it is kept, so that adding an event to a full Refs costs a
// comparison.
type Refs struct {
	K    int         `json:"k,omitempty"` // how many to keep; 0 is 8
	N    int64       `json:"n"`           // how many were added
	Refs []audit.Ref `json:"refs,omitempty"`
}

// Add takes in e.
func (r *Refs) Add(e *audit.Event) {
	r.N++
	s := r.sample()
	if len(s.Items) >= s.size() && e.CompareRef(&s.Items[len(s.Items)-1]) >= 0 {
		return
	}
	s.insert(e.Ref())
	r.Refs = s.Items
}

// Merge takes in what was added to o.
func (r *Refs) Merge(o *Refs) {
	r.N += o.N
	r.K = max(r.K, o.K)
	s := r.sample()
	for _, ref := range o.Refs {
		s.insert(ref)
	}
	r.Refs = s.Items
}

func (r *Refs) sample() Sample[audit.Ref] { return Sample[audit.Ref]{K: r.K, Items: r.Refs} }
