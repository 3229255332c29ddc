package codeexec

import (
	"context"
	"os/exec"
	"testing"

	"github.com/helve-dev/helve/internal/backend/docker"
	"github.com/helve-dev/helve/internal/backend/docker/dockertest"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestDefinitions(t *testing.T) { tooltest.Golden(t, Set) }

const noDocker = "Docker is REQUIRED for code execution. Code execution without Docker sandbox would allow arbitrary code to run on the host system. Please install and start Docker: https://docs.docker.com/get-docker/"

// on returns a call whose containers are those of the engine, over the real port.
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

// here returns a call whose containers run on this machine, where it has the program.
func here(t *testing.T, program string) tool.Call {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is missing; install it to run what the tool would run in a container", program)
	}
	return on(t, &dockertest.Engine{Run: dockertest.Here(t)}, docker.Options{})
}

// record keeps what the tool asked for, in place of running it.
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

// failures are what befalls every tool here, for arguments that are good.
func failures(t *testing.T, name, args string) {
	t.Helper()
	tooltest.Run(t, Set, name, on(t, nil, docker.Options{}), []tooltest.Case{
		{Name: "no Docker", Args: args, Fails: tool.NotConfigured, Message: noDocker},
	})
	tooltest.Run(t, Set, name, on(t, &dockertest.Engine{Fail: dockertest.Broken}, docker.Options{}), []tooltest.Case{
		{Name: "broken Docker", Args: args, Fails: tool.ExecutionError, Message: "Docker failed"},
	})
}
