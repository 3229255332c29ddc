package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// options are the sizes of the measurement.
type options struct {
	helve, worker             string
	jobs, steps, kills, among int
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) == 4 && os.Args[1] == roleServer {
		return serve(os.Args[2], os.Args[3])
	}
	if len(os.Args) == 3 && os.Args[1] == roleWorker {
		return work(os.Args[2])
	}
	var o options
	flag.StringVar(&o.helve, "helve", "", "`FILE` of the program helve")
	flag.StringVar(&o.worker, "worker", "", "`FILE` of the program of cmd/worker")
	flag.IntVar(&o.jobs, "jobs", 20, "jobs, one after the other")
	flag.IntVar(&o.steps, "steps", 100, "steps of a job")
	flag.IntVar(&o.kills, "kills", 5, "workers that are killed")
	flag.IntVar(&o.among, "among", 10, "jobs at the same time")
	wal := flag.Bool("wal", false, "SQLite with journal_mode=wal and synchronous=normal, in place of its default, which syncs each write")
	flag.Parse()
	if *wal {
		if err := os.Setenv(walEnv, "1"); err != nil {
			return err
		}
	}
	if o.helve == "" || o.worker == "" {
		return errors.New("name the programs with --helve and --worker")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measure(ctx, o)
}
