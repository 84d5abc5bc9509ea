package main

import (
	"github.com/spf13/cobra"
)

func newScan() *cobra.Command {
	flags := newScanFlags()
	cmd := &cobra.Command{
		Use:   "scan [FLAGS] [FILE|DIR|GLOB|-]...",
		Short: "read audit logs and report what went wrong",
		Long: `kaudit scan reads audit logs and reports what went wrong, with the lines that
prove it. It reads files, the audit logs below directories, what globs match,
and, for - or without an argument, standard input. Compressed files, rotated
parts and the logs of several API servers may be mixed. What is no audit event
is counted and passed over.`,
		Example: `kaudit scan audit.log
kaudit scan /var/log/kube-apiserver --since -2h
kubectl logs -n kube-system kube-apiserver-cp1 | kaudit scan
kaudit scan 'audit*.log.gz' -o json --jq '.findings[].title'
kaudit scan audit.log --where '.objectRef.namespace == "shop"'
kaudit scan audit.log --set stuck-watch.rounds=5 --fail-on critical`,
		Annotations: exits(scanExits),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScan(cmd, flags, args)
		},
	}
	flags.register(cmd)
	return cmd
}

func runScan(cmd *cobra.Command, f *scanFlags, args []string) error {
	if err := f.loadConfig(cmd); err != nil {
		return err
	}
	if _, err := f.chosen(); err != nil {
		return err
	}
	if _, err := f.settings(); err != nil {
		return err
	}
	if _, err := compileJQ("--jq", f.jq); err != nil {
		return err
	}
	return nil
}
