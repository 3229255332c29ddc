package docker

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

const threeParts = "Docker is REQUIRED for code execution. Code execution without Docker sandbox would allow arbitrary code to run on " +
	"the host system. Please install and start Docker: https://docs.docker.com/get-docker/ (the operator sets docker.host where its socket " +
	"is not the usual one)"

// hello is a run that does nothing special.
var hello = tool.Container{Image: "python", Command: []string{"python3", "-c", "print(1)"}}

func TestNoEngine(t *testing.T) {
	stale := filepath.Join(t.TempDir(), "stale.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", stale)
	if err != nil {
		t.Fatal(err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = listener.Close()
	for name, host := range map[string]string{
		"no socket": "unix://" + filepath.Join(t.TempDir(), "none.sock"), "nobody listens": "unix://" + stale, "tcp": "tcp://127.0.0.1:1",
	} {
		d, err := New(Options{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		containers, _ := d.For("acme", "u1")
		_, err = containers.Run(t.Context(), hello)
		if failure := tool.AsError(err); failure == nil || failure.Kind != tool.NotConfigured || failure.Msg != threeParts {
			t.Errorf("%s: error %v, want not_configured with the three parts", name, err)
		}
		// An image that nobody configured matters less.
		_, err = containers.Run(t.Context(), tool.Container{Image: "typescript", Command: []string{"tsc"}})
		wantKind(t, err, tool.NotConfigured, threeParts)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(Options{Host: "nonsense"}); err == nil {
		t.Error("New with the host nonsense succeeded")
	}
}

func TestForbiddenSocket(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("NOT TESTED: root may use every socket; step unprivileged of .ci/run tests it as another user")
	}
	e := dockertest.Start(t, &dockertest.Engine{})
	if err := os.Chmod(e.Host[len("unix://"):], 0); err != nil {
		t.Fatal(err)
	}
	containers, _ := on(t, e, Options{})
	_, err := containers.Run(t.Context(), hello)
	wantKind(t, err, tool.NotConfigured, "the worker may not use it")
}

func TestHungEngine(t *testing.T) {
	for _, path := range []string{"/_ping", "/containers/create"} {
		asked := make(chan struct{}, 64)
		e := dockertest.Start(t, &dockertest.Engine{Fail: func(_ http.ResponseWriter, r *http.Request) bool {
			if len(r.URL.Path) < len(path) || r.URL.Path[len(r.URL.Path)-len(path):] != path {
				return false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			asked <- struct{}{}
			<-r.Context().Done()
			return true
		}})
		containers, d := on(t, e, Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-asked
			cancel()
		}()
		_, err := containers.Run(ctx, hello)
		wantKind(t, err, tool.Cancelled, "")
		wantNothingLeft(t, e, d)
	}
}

// An engine that hangs while the call has time is told of as what it is.
func TestHungEngineWithTime(t *testing.T) {
	err := engineError(t.Context(), context.DeadlineExceeded, "it made the container")
	wantKind(t, err, tool.ExecutionError, "did not answer in time while it made the container")
}

func TestParallel(t *testing.T) {
	var running, most atomic.Int32
	meet := make(chan struct{})
	e := dockertest.Start(t, &dockertest.Engine{Run: func(*dockertest.Box) dockertest.Exit {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		select { // ends when another one runs, too
		case meet <- struct{}{}:
		case <-meet:
		case <-t.Context().Done():
		}
		running.Add(-1)
		return dockertest.Exit{}
	}})
	containers, d := on(t, e, Options{Parallel: 2})
	done := make(chan error)
	for range 6 {
		go func() {
			_, err := containers.Run(t.Context(), hello)
			done <- err
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() != 2 {
		t.Errorf("%d containers ran at once, want 2", most.Load())
	}
	wantNothingLeft(t, e, d)
}

// A call that waits for its place ends with its context.
func TestParallelEnds(t *testing.T) {
	began := make(chan struct{})
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		close(began)
		return hang(b)
	}})
	containers, d := on(t, e, Options{Parallel: 1})
	first, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := containers.Run(first, hello)
		done <- err
	}()
	<-began
	second, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := containers.Run(second, hello)
	wantKind(t, err, tool.Timeout, "")
	if made := len(e.Made()); made != 1 {
		t.Errorf("%d containers were made, want 1", made)
	}
	stop()
	wantKind(t, <-done, tool.Cancelled, "")
	wantNothingLeft(t, e, d)
}

func TestSweep(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{})
	at := func(d time.Duration) map[string]string {
		return map[string]string{labelOurs: "true", labelDeadline: strconv.FormatInt(time.Now().Add(d).Unix(), 10)}
	}
	leave := func() {
		e.Leave("dead", at(-time.Minute))
		e.Leave("broken", map[string]string{labelOurs: "true"})
		e.Leave("running", at(time.Minute))
		e.Leave("somebody's", map[string]string{labelDeadline: "1"})
	}
	want := []string{"running", "somebody's"}
	leave()
	containers, d := on(t, e, Options{})
	if n, err := d.Sweep(t.Context()); n != 2 || err != nil {
		t.Errorf("Sweep = %d, %v, want 2", n, err)
	}
	if left := e.Left(); !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
	leave()
	if _, err := containers.Run(t.Context(), hello); err != nil { // the first run sweeps, too
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := e.Left(); !slices.Equal(left, want) {
		t.Errorf("left after a run: %q, want %q", left, want)
	}
}
