package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// plainWidth is the width of text in columns where none is known: in a pipe or a
// file.
const plainWidth = 100

// isTerminal reports whether what is read or written is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// textWidth returns how many columns w has. COLUMNS wins, as it does for ls.
func textWidth(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return plainWidth
}

// tableWidth returns how many columns a table may take, or 0 for no limit where
// no person looks: programs want whole names.
func tableWidth(w io.Writer) int {
	if isTerminal(w) || os.Getenv("COLUMNS") != "" {
		return textWidth(w)
	}
	return 0
}

// wideWidth is how many columns -o wide takes at least: whoever asks for it wants
// the lines that prove a finding whole.
const wideWidth = 140

// reportWidth returns how many columns a report of this form has on w.
func reportWidth(w io.Writer, form string) int {
	width := textWidth(w)
	if form == "wide" {
		return max(width, wideWidth)
	}
	return width
}

// useColor decides whether w gets colours: auto, always or never. See
// https://no-color.org.
func useColor(when string, w io.Writer) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
