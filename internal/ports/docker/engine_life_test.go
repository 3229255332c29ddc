package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

func TestGenuineTwentyAtOnce(t *testing.T) {
	for _, parallel := range []int{20, 0} { // all concurrently, and in turns
		containers, d := genuine(t, Options{Parallel: parallel})
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				c := shell(fmt.Sprintf("cat in; echo %d >&2; exit %d", i, i))
				c.Files = map[string][]byte{"in": fmt.Appendf(nil, "file %d", i)}
				c.Timeout = 5 * time.Minute
				ran, err := containers.Run(t.Context(), c)
				if err != nil || ran.Code != i || string(ran.Stdout) != fmt.Sprintf("file %d", i) || string(ran.Stderr) != fmt.Sprintf("%d\n", i) {
					t.Errorf("run %d: %+v, %v", i, ran, err)
				}
			})
		}
		wg.Wait()
		wantNoneLeft(t, d)
	}
}

func TestGenuineCallEnds(t *testing.T) {
	containers, d := genuine(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		c := shell("sleep 600")
		c.Timeout = 5 * time.Minute
		_, err := containers.Run(ctx, c)
		ended <- err
	}()
	until(t, "the container runs", func() bool { return running(t, d) == 1 })
	cancel()
	wantKind(t, <-ended, tool.Cancelled, "")
	wantNoneLeft(t, d)
}

// running returns how many containers of the test run.
func running(t *testing.T, d *Docker) int {
	t.Helper()
	n := 0
	for _, c := range present(t, d) {
		if c.State == container.StateRunning {
			n++
		}
	}
	return n
}

// asWorker has the test binary run a container and be killed meanwhile.
const asWorker = "HELVE_DOCKER_TEST_WORKER"

func TestMain(m *testing.M) {
	host := os.Getenv(asWorker)
	if host == "" {
		os.Exit(m.Run())
	}
	d, err := New(Options{Host: host, Images: map[string]string{"shell": "small:1"}})
	if err == nil {
		var containers tool.Containers
		containers, err = d.For("test-testgenuineworkerkilled", "u1")
		if err == nil {
			_, err = containers.Run(context.Background(), tool.Container{Image: "shell", Command: []string{"sleep", "600"}, Timeout: time.Second})
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestGenuineWorkerKilled: a container that a dead worker has left ends by itself, and
// another worker removes it.
func TestGenuineWorkerKilled(t *testing.T) {
	e := ownDaemon(t)
	containers, d := e.containers(Options{})
	worker := exec.CommandContext(t.Context(), os.Args[0])
	worker.Env = append(os.Environ(), asWorker+"="+e.host)
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the worker's container runs", func() bool { return running(t, d) == 1 })
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := worker.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the worker ended with %v before it was killed", err)
	}
	if _, err := containers.Run(t.Context(), shell("true")); err != nil { // sweeps
		t.Error(err)
	}
	d.removal.Wait()
	if left := present(t, d); len(left) != 1 {
		t.Fatalf("%d containers before the deadline, want that of the other worker", len(left))
	}
	until(t, "the container ends", func() bool { return running(t, d) == 0 })
	if n, err := d.sweep(t.Context(), time.Now().Add(slack+2*time.Second)); n != 1 || err != nil {
		t.Errorf("swept %d, %v, want 1", n, err)
	}
	wantNoneLeft(t, d)
}

// TestGenuineEngineKilled: the engine dies while commands run, and comes back.
func TestGenuineEngineKilled(t *testing.T) {
	e := ownDaemon(t)
	dir := dockertest.Workspace(t)
	containers, d := e.containers(Options{User: dockertest.User(), Dir: func(string, string) (string, error) { return dir, nil }})
	asks := map[tool.Kind]tool.Container{tool.ExecutionError: shell("sleep 600"), tool.OutcomeUnknown: shell("sleep 600")}
	asks[tool.OutcomeUnknown] = tool.Container{Image: "shell", Command: []string{"sleep", "600"}, Workspace: true, Timeout: 5 * time.Minute}
	var wg sync.WaitGroup
	for kind, c := range asks {
		wg.Go(func() {
			_, err := containers.Run(t.Context(), c)
			wantKind(t, err, kind, "Docker went away while the command ran")
		})
	}
	until(t, "both containers run", func() bool { return running(t, d) == 2 })
	e.kill()
	wg.Wait()
	_, err := containers.Run(t.Context(), shell("true"))
	wantKind(t, err, tool.NotConfigured, "Docker is REQUIRED")
	e.start(e.cmd.Path)
	ran, err := containers.Run(t.Context(), shell("echo back"))
	if err != nil || string(ran.Stdout) != "back\n" {
		t.Errorf("after its return: %+v, %v", ran, err)
	}
	d.removal.Wait()
	if _, err := d.sweep(t.Context(), time.Now().Add(longestTimeout+slack)); err != nil {
		t.Error(err)
	}
	wantNoneLeft(t, d)
}
