// Command apiserver starts etcd and kube-apiserver on loopback and applies directories of
// manifests to them: first as a server-side dry run, then for real, and then the pods of each
// workload as a dry run, which the admission of pod security checks.
//
//	go run . --crds ../deploytest/testdata/crds ../k8s/overlays/dev ../k8s/overlays/prod alternatives
//
// It proves that a Kubernetes API server of the version in go.mod accepts the objects. No
// controller and no node runs, so no pod starts.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// The first argument of a child process.
const (
	asEtcd   = "etcd"
	asServer = "kube-apiserver"
)

// longest bounds a run, which takes about a minute.
const longest = 10 * time.Minute

func main() {
	if len(os.Args) > 1 && os.Args[1] == asEtcd {
		etcdmain.Main(os.Args[1:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == asServer {
		os.Args = os.Args[1:]
		os.Exit(cli.Run(app.NewAPIServerCommand()))
	}
	crds := flag.String("crds", "", "`DIR` of definitions to apply first")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := run(ctx, *crds, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, crds string, dirs []string) (err error) {
	work, err := os.MkdirTemp("", "apiserver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	c, end, err := startCluster(ctx, work)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			fmt.Fprintln(os.Stderr, c.lastWords())
		}
		end()
	}()
	if err := c.define(ctx, crds); err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := c.install(ctx, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}
