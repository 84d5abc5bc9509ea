package parser

import "fmt"

// A noMatchError is a pattern that no file matches.
type noMatchError string

func (e noMatchError) Error() string { return fmt.Sprintf("%s: no file matches", string(e)) }

// Hint says what the user can do about the error.
func (e noMatchError) Hint() string {
	return "* stands for a name or a part of one, ** for any folders; a folder is searched with all its subfolders"
}
