// Package docker runs commands in throw-away containers of a Docker engine, as
// [tool.Containers].
//
// # What it promises
//
// A container has a read-only root, an unprivileged user without capabilities and
// without a way to gain them, no network unless it is asked for and the operator
// names one, 1 CPU, 512 MB of memory without swap, 100 processes, and two file
// systems in memory, /work and /tmp. It is killed when its time, its output or its
// call ends, and removed however the run ends; what a worker leaves behind that
// dies is removed by the next run of any worker on that engine, a minute after its
// time at the latest. Nothing a container writes is kept by the engine, and of it
// no more than is asked for by the worker. Images are those of the operator's
// settings and never pulled unless the settings say so. Without an engine nothing
// runs: there is no way around the container.
//
// # What it does not promise
//
// A container shares the kernel of the engine's machine. Where the network is
// given, Docker cannot limit it to hosts, so a call whose scopes name hosts or paths
// is refused what would be beyond them. A mounted workspace belongs to the worker's
// own user, so the container runs as that user then: the engine must be on the
// worker's machine, and the worker must not be root.
package docker

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// Options are what the port stands on.
type Options struct {
	// Host is the engine, such as unix:///run/docker.sock; what the environment says
	// (DOCKER_HOST, DOCKER_CERT_PATH) or else the engine's usual socket if empty.
	Host string
	// Images adds to [DefaultImages] or replaces some of them.
	Images map[string]string
	// Pull lets an image that is not there be fetched.
	Pull bool
	// Network is the engine's network for containers that ask for one, such as
	// bridge; if empty they are refused.
	Network string
	// Dir is the workspace of a tenant's user on this machine.
	Dir func(tenant, user string) (string, error)
	// User is UID:GID of containers that see a workspace; the worker's own if empty.
	User string
	// Parallel is how many containers run at once; 4 if 0. More calls wait.
	Parallel int
}

// DefaultImages are the images that Options.Images replaces, by what they are for.
// There is no official image with the TypeScript compiler, so that one must be named.
func DefaultImages() map[string]string {
	return map[string]string{
		"node":   "node:22-slim",
		"python": "python:3.13-slim",
		"shell":  "debian:bookworm-slim",
		"gcc":    "gcc:14",
		"rust":   "rust:1-slim",
		"go":     "golang:1.26",
		"java":   "eclipse-temurin:21-jdk",
	}
}

// Docker is a Docker engine. It is safe for concurrent use and must be closed.
type Docker struct {
	options Options
	images  map[string]string
	engine  *client.Client
	places  chan struct{}  // one for each container that may run
	removal sync.WaitGroup // containers that are being removed

	mu    sync.Mutex
	swept time.Time
}

const parallel = 4

var userPattern = regexp.MustCompile(`^[1-9][0-9]*:[0-9]+$`)

// New returns the port's backend. It speaks to nobody yet: an engine that is not
// there is told to the calls that need it. The error is for the operator.
func New(o Options) (*Docker, error) {
	if o.User != "" && !userPattern.MatchString(o.User) {
		return nil, fmt.Errorf("docker: the user %q must be UID:GID in numbers, and not root", o.User)
	}
	opts := []client.Opt{client.FromEnv}
	if o.Host != "" {
		opts = append(opts, client.WithHost(o.Host))
	}
	engine, err := client.New(opts...)
	if err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	if o.Parallel <= 0 {
		o.Parallel = parallel
	}
	images := DefaultImages()
	maps.Copy(images, o.Images)
	return &Docker{options: o, images: images, engine: engine, places: make(chan struct{}, o.Parallel)}, nil
}

// Close waits until the containers of ended runs are removed.
func (d *Docker) Close() error {
	d.removal.Wait()
	return d.engine.Close()
}

// For returns the containers of a user, which reach no further than the scopes.
func (d *Docker) For(tenant, user string, within ...tool.Scopes) (tool.Containers, error) {
	return &runner{d, tenant, user, within}, nil
}

type runner struct {
	*Docker

	tenant, user string
	within       []tool.Scopes
}

// permit refuses what the call may not reach. Docker limits neither the paths of a
// mount nor the hosts of a network.
func (r *runner) permit(c tool.Container) error {
	if err := scope.App("docker", r.within...); err != nil {
		return err
	}
	switch {
	case c.Workspace && !scope.AnyPath(r.within...):
		return tool.Fail(tool.PathNotAllowed, "Access denied: a container sees the whole workspace, and this call may reach only parts of it")
	case c.Network && !scope.AnyHost(r.within...):
		return tool.Fail(tool.PermissionDenied, "Access denied: the network of a container cannot be limited to the hosts that this call may reach")
	case c.Network && r.options.Network == "":
		return tool.Fail(tool.NotConfigured, "No network is configured for containers: the operator must name one of Docker's networks for them, such as bridge")
	}
	return nil
}

// enter takes a place among the containers that run; the returned function gives it
// back.
func (d *Docker) enter(ctx context.Context) (leave func(), err error) {
	select {
	case d.places <- struct{}{}:
		return func() { <-d.places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
