package analysis

import "github.com/kaudit/kaudit/audit"

// A Note says what the log can't tell, or what must be known to read it.
type Note struct {
	Kind string     `json:"kind"` // kebab-case
	From audit.Time `json:"from"`
	To   audit.Time `json:"to"`
	Text string     `json:"text"`
}

// Notes returns the notes on the log, in order of kind and time.
func (f *Facts) Notes() []Note { return []Note{} }
