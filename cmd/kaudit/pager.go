package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// paged calls write with the input of a pager on w, if one was asked for and w is
// a terminal, else with w itself.
func paged(w io.Writer, asked bool, write func(io.Writer) error) error {
	if !asked || !isTerminal(w) {
		return write(w)
	}
	words := strings.Fields(cmp.Or(os.Getenv("PAGER"), "less"))
	if len(words) == 0 {
		return write(w)
	}
	pager := exec.Command(words[0], words[1:]...)
	pager.Stdout, pager.Stderr = w, os.Stderr
	pager.Env = os.Environ()
	if os.Getenv("LESS") == "" {
		pager.Env = append(pager.Env, "LESS=FRX") // quit if it fits one page, show colours, don't clear the screen
	}
	in, err := pager.StdinPipe()
	if err != nil {
		return fmt.Errorf("show page by page: %w", err)
	}
	if err := pager.Start(); err != nil {
		return hinted(fmt.Errorf("show page by page: %w", err), "name another pager in $PAGER, or leave --pager out")
	}
	err = write(in)
	in.Close()
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = nil // whoever quits the pager has seen enough
	}
	if ended := pager.Wait(); ended != nil && err == nil {
		err = fmt.Errorf("show page by page: %s: %w", words[0], ended)
	}
	return err
}
