package codeexec

import (
	"context"
	"testing"

	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

const noDocker = "Docker is REQUIRED for code execution. Code execution without Docker sandbox would allow arbitrary code to run on the " +
	"host system. Please " +
	"install and start Docker: https://docs.docker.com/get-docker/ (the operator sets docker.host where its socket is not the usual one)"

// on returns a call whose containers run on the engine, through the real port.
func on(t *testing.T, e *dockertest.Engine, o docker.Options) tool.Call {
	t.Helper()
	if e != nil {
		o.Host = dockertest.Start(t, e).Host
	} else {
		o.Host = "unix://" + t.TempDir() + "/none.sock"
	}
	d, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	containers, err := d.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Containers: containers}
}

// genuine returns a call whose containers run on a real engine.
func genuine(t *testing.T) tool.Call {
	t.Helper()
	d, err := docker.New(docker.Options{Host: dockertest.Genuine(t), Images: dockertest.Images()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	containers, err := d.For("acme", "u1")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Containers: containers}
}

// record keeps the tool's request instead of running it.
type record struct {
	asked tool.Container
	ran   tool.Contained
}

// Ready implements [tool.Containers].
func (r *record) Ready(context.Context) error { return nil }

// Run implements [tool.Containers].
func (r *record) Run(_ context.Context, c tool.Container) (tool.Contained, error) {
	r.asked = c
	return r.ran, nil
}

// failures lists the failures of every tool here, for valid arguments.
func failures(t *testing.T, name, args string) {
	t.Helper()
	tooltest.Run(t, Set, name, on(t, nil, docker.Options{}), []tooltest.Case{
		{Name: "no Docker", Args: args, Fails: tool.NotConfigured, Message: noDocker},
	})
	tooltest.Run(t, Set, name, on(t, &dockertest.Engine{Fail: dockertest.Broken}, docker.Options{}), []tooltest.Case{
		{Name: "broken Docker", Args: args, Fails: tool.ExecutionError, Message: "Docker failed"},
	})
}
