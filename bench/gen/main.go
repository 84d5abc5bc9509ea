// Gen writes the audit log of an invented cluster to standard output:
//
//	go run ./bench/gen -mib 512 -level Metadata -seed 1 > audit.log
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/kaudit/kaudit/bench/cluster"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	mib := flags.Int64("mib", 64, "size of the log in MiB")
	gib := flags.Int64("gib", 0, "size of the log in GiB, instead of -mib")
	level := flags.String("level", "Metadata", "audit level: Metadata or RequestResponse")
	seed := flags.Uint64("seed", 1, "equal seeds write equal logs")
	nodes := flags.Int("nodes", 0, "nodes of the cluster")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *level != "Metadata" && *level != "RequestResponse" {
		return fmt.Errorf("level %s is neither Metadata nor RequestResponse", *level)
	}
	if *gib > 0 {
		*mib = *gib << 10
	}
	out := bufio.NewWriterSize(stdout, 1<<18)
	c := cluster.New(cluster.Options{Seed: *seed, Bodies: *level == "RequestResponse", Nodes: *nodes})
	if err := c.Write(out, *mib<<20); err != nil {
		return err
	}
	return out.Flush()
}
