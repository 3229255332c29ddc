// Package docker runs commands in throw-away containers of a Docker engine, as
// [tool.Containers].
//
// # What it promises
//
// A container has a read-only root, an unprivileged user without capabilities and
// without a way to gain them, no network unless it is asked for and the operator names
// one, 1 CPU, 512 MB of memory without swap, 100 processes, and two file systems in
// memory, /work and /tmp. It is killed when its time is over, its output exceeds the
// limit or its call ends, and is always removed. If its worker dies, the container ends
// by itself some seconds after its time, and the next run of any worker on that engine
// removes it a minute after its time. The engine keeps nothing that a container writes,
// and the worker keeps only what the call requests. Images come from the operator's
// settings, and are pulled only if the settings allow it. Without an engine nothing
// runs.
//
// The engine is Docker 20.10 or newer, or Podman's service of the same API. An image
// needs /bin/sh, dd and tar, and no directory /work of its own. docs/testing.md names
// the tested engines.
//
// # What it does not promise
//
// A container shares the kernel of the engine's machine. Docker cannot limit a network
// to hosts or a mount to paths, so a call whose scopes restrict them is refused. A
// mounted workspace belongs to the worker's own user, so the container runs as that
// user then: the engine must be on the worker's machine, and the worker must not be
// root. Podman has further file systems in memory in each container, and with cgroups
// v1 it does not report which commands the kernel killed for their memory.
package docker

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"sync"
	"time"

	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Options configures the port.
type Options struct {
	// Host is the address of the engine, such as unix:///run/docker.sock; if empty, the
	// environment (DOCKER_HOST, DOCKER_CERT_PATH) or the engine's default socket.
	Host string
	// Images extends or replaces [DefaultImages].
	Images map[string]string
	// Pull allows pulling a missing image.
	Pull bool
	// Network is the engine's network for containers that request one, such as bridge;
	// if empty they are refused.
	Network string
	// Dir returns the workspace of a tenant's user on this machine.
	Dir func(tenant, user string) (string, error)
	// User is the UID:GID of containers that see a workspace; the worker's own if
	// empty.
	User string
	// Parallel is the number of containers that run concurrently; 4 if 0. Further calls
	// wait.
	Parallel int
}

// DefaultImages returns the default images by language. There is no official image with
// the TypeScript compiler, so Options.Images must name that one.
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
	places  chan struct{}  // one token for each running container
	removal sync.WaitGroup // containers that are being removed

	mu    sync.Mutex
	swept time.Time
}

const parallel = 4

var userPattern = regexp.MustCompile(`^[1-9][0-9]*:[0-9]+$`)

// New returns the port's backend. It does not connect yet: the calls that need the
// engine report a missing one. The error is for the operator.
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

// For returns the containers of a user, limited to the scopes.
func (d *Docker) For(tenant, user string, within ...tool.Scopes) (tool.Containers, error) {
	return &runner{d, tenant, user, within}, nil
}

type runner struct {
	*Docker

	tenant, user string
	within       []tool.Scopes
}

// permit refuses what the scopes of the call do not allow. Docker can limit neither the
// paths of a mount nor the hosts of a network.
func (r *runner) permit(c tool.Container) error {
	if err := scope.App("docker", r.within...); err != nil {
		return err
	}
	switch {
	case c.Workspace && !scope.AnyPath(r.within...):
		return tool.Fail(tool.PathNotAllowed, "Access denied: a container sees the whole workspace, and this call may reach only parts of it")
	case c.Network && !scope.AnyHost(r.within...):
		return tool.Fail(tool.PermissionDenied,
			"Access denied: the network of a container cannot be limited to the hosts that this call may reach")
	case c.Network && r.options.Network == "":
		return tool.Fail(tool.NotConfigured, "No network is configured for containers: the operator sets docker.network to one of Docker's "+
			"networks (docker.network: bridge, or HELVE_DOCKER_NETWORK=bridge)")
	}
	return nil
}

// enter waits for a free slot among the running containers and returns the function
// that releases it.
func (d *Docker) enter(ctx context.Context) (leave func(), err error) {
	select {
	case d.places <- struct{}{}:
		return func() { <-d.places }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
