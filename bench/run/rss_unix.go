//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the most memory that a process had, in bytes.
func maxRSS(state *os.ProcessState) int64 {
	usage := state.SysUsage().(*syscall.Rusage)
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // in bytes there, in KiB elsewhere
	}
	return int64(usage.Maxrss) << 10
}
