// Run times kaudit beside other tools on the logs that compare.sh makes:
// interleaved rounds, so that a busy machine is busy for all; medians; the
// most memory of any round. Its ratios, not its seconds, are worth quoting.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", ".", "where the logs are")
	rounds := flag.Int("rounds", 5, "how often each program runs")
	only := flag.String("only", "", "sections whose title holds this")
	flag.Parse()
	for _, s := range sections() {
		if !strings.Contains(s.title, *only) {
			continue
		}
		if err := s.compare(*dir, *rounds); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	return nil
}

// A sample is one run of a program.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // bytes
}

// compare runs the section's programs in turn, and prints a table. What does
// not exist, input or tool, is passed over.
func (s section) compare(dir string, rounds int) error {
	files, err := filepath.Glob(filepath.Join(dir, s.input))
	if err != nil || len(files) == 0 {
		return err
	}
	s.programs = slices.DeleteFunc(slices.Clone(s.programs), func(p program) bool { return !p.installed() })
	samples := make([][]sample, len(s.programs))
	for range rounds {
		for i, p := range s.programs {
			took, err := p.time(files)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			samples[i] = append(samples[i], took)
		}
	}
	fmt.Printf("\n%s, %.0f MB\n%-32s %8s %7s %8s %8s\n", s.title, megabytes(files), "", "wall s", "ratio", "cpu s", "MiB")
	base := median(samples[0], func(s sample) time.Duration { return s.wall })
	for i, p := range s.programs {
		wall := median(samples[i], func(s sample) time.Duration { return s.wall })
		cpu := median(samples[i], func(s sample) time.Duration { return s.cpu })
		most := slices.MaxFunc(samples[i], func(a, b sample) int { return int(a.rss - b.rss) }).rss
		fmt.Printf("%-32s %8.2f %6.2fx %8.2f %8d\n", p.name, wall.Seconds(), float64(wall)/float64(base), cpu.Seconds(), most>>20)
	}
	return nil
}

func (p program) installed() bool {
	return !slices.ContainsFunc(strings.Fields(p.needs), func(tool string) bool {
		_, err := exec.LookPath(tool)
		return err != nil
	})
}

// time runs p once. It may exit 1, as grep does when it finds nothing.
func (p program) time(files []string) (sample, error) {
	cmd := exec.Command("sh", "-c", p.command)
	cmd.Env = append(os.Environ(), "IN="+strings.Join(files, " "), "LC_ALL=C")
	cmd.Stderr = os.Stderr
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		return sample{}, err
	}
	state := cmd.ProcessState
	return sample{wall, state.UserTime() + state.SystemTime(), maxRSS(state)}, nil
}

func median(samples []sample, of func(sample) time.Duration) time.Duration {
	var all []time.Duration
	for _, s := range samples {
		all = append(all, of(s))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func megabytes(files []string) (mb float64) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			mb += float64(info.Size()) / 1e6
		}
	}
	return mb
}
