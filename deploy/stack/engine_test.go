package stack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// prepared names the directory that .ci/run stack prepares:
//
//	bin/docker-compose, bin/nats-server   built from their modules
//	images/{dispatcher,worker,helve}.tar  of `make images`, with the tag of version
//	root/                                 Debian with PostgreSQL, Prometheus and busybox
const prepared = "HELVE_TEST_STACK"

// version is the tag of Helve's images.
const version = "v0"

// patience bounds each wait.
const patience = 10 * time.Minute

// engine is a Docker engine of this test, with Compose as a plugin of its client.
type engine struct {
	t   *testing.T
	dir string
	env []string
}

// startEngine starts an engine, which needs namespaces of its own. Its data lies in the
// prepared directory, which is on a disk.
func startEngine(t *testing.T) engine {
	t.Helper()
	dir := os.Getenv(prepared)
	if dir == "" {
		t.Log("NOT RUN: " + prepared + " names no directory; .ci/run stack prepares one")
		t.Skip("without a prepared directory")
	}
	socket := filepath.Join(dir, "socket")
	config := filepath.Join(t.TempDir(), "config")
	e := engine{t: t, dir: dir, env: append(os.Environ(), "DOCKER_HOST=unix://"+socket, "DOCKER_CONFIG="+config, "DOCKER_BUILDKIT=0")}
	plugins := filepath.Join(config, "cli-plugins")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "bin", "docker-compose"), filepath.Join(plugins, "docker-compose")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "docker")
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "dockerd.log"))
	if err != nil {
		t.Fatal(err)
	}
	daemon := exec.Command("dockerd", "--bridge=none", "--host=unix://"+socket, "--pidfile="+filepath.Join(dir, "pid"),
		"--data-root="+data, "--exec-root="+filepath.Join(dir, "run"))
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Signal(os.Interrupt)
		_ = daemon.Wait()
		_ = log.Close()
		_ = os.RemoveAll(data)
	})
	e.await("the engine", func() bool { return e.command("docker", "version").Run() == nil })
	return e
}

func (e engine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = e.env
	return cmd
}

// run returns the output of a command that must succeed.
func (e engine) run(cmd *exec.Cmd) string {
	e.t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		e.t.Fatalf("%s: %v: %s", strings.Join(cmd.Args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (e engine) docker(args ...string) string {
	e.t.Helper()
	return e.run(e.command("docker", args...))
}

// await waits until a condition holds.
func (e engine) await(what string, holds func() bool) {
	e.t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			e.t.Fatalf("waited %s for %s", patience, what)
		}
	}
}
