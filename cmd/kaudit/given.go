package main

import (
	"errors"
	"strconv"
)

// A given is the value of a flag that takes a text. An empty text is refused: it
// comes from a shell variable that is not set, and would count as if the flag
// was not given.
type given struct{ to *string }

var errEmpty = errors.New("the value is empty")

func (g given) String() string {
	if g.to == nil {
		return ""
	}
	return *g.to
}

// Type is what the help shows for the flag's value where its usage names none.
func (given) Type() string { return "string" }

func (g given) Set(s string) error {
	if s == "" {
		return errEmpty
	}
	*g.to = s
	return nil
}

// A workerCount is the value of --workers. The default, 0, is one worker a
// processor; the flag takes no 0.
type workerCount int

// maxWorkers bounds --workers: each holds states and buffers of its own.
const maxWorkers = 256

func (w *workerCount) String() string { return strconv.Itoa(int(*w)) }

// Type is what the help shows for the flag's value where its usage names none.
func (*workerCount) Type() string { return "int" }

func (w *workerCount) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxWorkers {
		return errors.New("it must be a whole number from 1 to " + strconv.Itoa(maxWorkers))
	}
	*w = workerCount(n)
	return nil
}
