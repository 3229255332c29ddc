package docker

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/ports/docker/dockertest"
	"github.com/helve-dev/helve/tool"
)

// on returns the containers of a user on the engine.
func on(t *testing.T, e *dockertest.Engine, o Options, within ...tool.Scopes) (tool.Containers, *Docker) {
	t.Helper()
	o.Host = e.Host
	return open(t, o, within...)
}

// open returns the containers of a user on the engine of the options.
func open(t *testing.T, o Options, within ...tool.Scopes) (tool.Containers, *Docker) {
	t.Helper()
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	containers, err := d.For("acme", "u1", within...)
	if err != nil {
		t.Fatal(err)
	}
	return containers, d
}

// wantNothingLeft closes the port, after which no container of it may be there.
func wantNothingLeft(t *testing.T, e *dockertest.Engine, d *Docker) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := e.Left(); len(left) > 0 {
		t.Errorf("containers %q are left, want none", left)
	}
}

func wantKind(t *testing.T, err error, kind tool.Kind, message string) {
	t.Helper()
	failure := tool.AsError(err)
	if failure == nil || failure.Kind != kind || !strings.Contains(failure.Msg, message) {
		t.Errorf("error %v, want %s with %q", err, kind, message)
	}
}

// echo writes its input to one stream and its command to the other.
func echo(b *dockertest.Box) dockertest.Exit {
	text, _ := io.ReadAll(b.Stdin)
	command := b.Command()
	fmt.Fprintf(b.Stderr, "%q", command[len(command)-3:])
	fmt.Fprintf(b.Stdout, "read %s", text)
	return dockertest.Exit{Code: 3}
}

func TestRun(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: echo})
	containers, d := on(t, e, Options{})
	for _, tt := range []struct {
		name, stdin, out string
	}{
		{"no input", "", "read "},
		{"input", "some text", "read some text"},
		{"much input", strings.Repeat("x", 300<<10), "read " + strings.Repeat("x", 300<<10)},
	} {
		ran, err := containers.Run(t.Context(), tool.Container{Image: "python", Command: []string{"prog", "-x", "a b"}, Stdin: []byte(tt.stdin)})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if string(ran.Stdout) != tt.out || string(ran.Stderr) != `["prog" "-x" "a b"]` || ran.Code != 3 || ran.Image != "python:3.13-slim" ||
			ran.StdoutCut+ran.StderrCut > 0 || ran.TimedOut || ran.OutOfMemory || ran.Flooded || ran.Duration <= 0 {
			t.Errorf("%s: ran %+v, want exit 3 and both streams", tt.name, ran)
		}
	}
	wantNothingLeft(t, e, d)
}

func TestFileNames(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{})
	containers, d := on(t, e, Options{})
	for _, name := range []string{"../x", "/x", "", ".", "a/../../x", `a\b`, "a\x00"} {
		_, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"true"}, Files: map[string][]byte{name: nil}})
		wantKind(t, err, tool.PathNotAllowed, "outside the container")
	}
	_, err := containers.Run(t.Context(), tool.Container{
		Image:   "shell",
		Command: []string{"true"},
		Files:   map[string][]byte{"x": make([]byte, mostFileBytes+1)},
	})
	wantKind(t, err, tool.FileTooLarge, "too large")
	if made := e.Made(); len(made) > 0 {
		t.Errorf("%d containers were made for refused files", len(made))
	}
	wantNothingLeft(t, e, d)
}

func TestUnreadInput(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		_, _ = io.WriteString(b.Stdout, "done")
		return dockertest.Exit{}
	}})
	containers, d := on(t, e, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"true"}, Stdin: make([]byte, 4<<20)})
	if err != nil || string(ran.Stdout) != "done" {
		t.Errorf("ran %q, %v, want what was written before the input was left unread", ran.Stdout, err)
	}
	wantNothingLeft(t, e, d)
}

// hang writes something and stays until it is killed.
func hang(b *dockertest.Box) dockertest.Exit {
	_, _ = io.WriteString(b.Stdout, "begun")
	<-b.Killed.Done()
	return dockertest.Exit{Code: 137}
}

func TestTimeout(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: hang})
	containers, d := on(t, e, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"sleep"}, Timeout: 100 * time.Millisecond})
	if err != nil || !ran.TimedOut || ran.Code != 137 || string(ran.Stdout) != "begun" {
		t.Errorf("ran %+v, %v, want a run that timed out with what it had written", ran, err)
	}
	wantNothingLeft(t, e, d)
}

func TestCallEnds(t *testing.T) {
	began := make(chan struct{})
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		close(began)
		return hang(b)
	}})
	containers, d := on(t, e, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	_, err := containers.Run(ctx, tool.Container{Image: "shell", Command: []string{"sleep"}})
	wantKind(t, err, tool.Cancelled, "")
	wantNothingLeft(t, e, d)
}

func TestOutputIsBounded(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		_, _ = b.Stderr.Write(bytes.Repeat([]byte("e"), 3000))
		_, _ = b.Stdout.Write(bytes.Repeat([]byte("o"), 100_000))
		return dockertest.Exit{}
	}})
	containers, d := on(t, e, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"yes"}, MaxOutput: 1000})
	if err != nil || len(ran.Stdout) != 1000 || ran.StdoutCut != 99_000 || len(ran.Stderr) != 1000 || ran.StderrCut != 2000 || ran.Flooded {
		t.Errorf("kept %d of stdout (cut %d), %d of stderr (cut %d), %v, want the first 1000 of each",
			len(ran.Stdout), ran.StdoutCut, len(ran.Stderr), ran.StderrCut, err)
	}
	wantNothingLeft(t, e, d)
}

func TestFlood(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		for piece := bytes.Repeat([]byte("y\n"), 256<<10); b.Killed.Err() == nil; {
			if _, err := b.Stdout.Write(piece); err != nil {
				break
			}
		}
		return dockertest.Exit{Code: 137}
	}})
	containers, d := on(t, e, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"yes"}})
	if err != nil || !ran.Flooded || ran.TimedOut || len(ran.Stdout) != defaultOutput || ran.StdoutCut < maxTotal-defaultOutput {
		t.Errorf("kept %d, cut %d, flooded %v, %v, want a killed flood", len(ran.Stdout), ran.StdoutCut, ran.Flooded, err)
	}
	wantNothingLeft(t, e, d)
}

func TestOutOfMemory(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Run: func(*dockertest.Box) dockertest.Exit {
		return dockertest.Exit{Code: 137, OutOfMemory: true}
	}})
	containers, d := on(t, e, Options{})
	ran, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"hog"}})
	if err != nil || !ran.OutOfMemory || ran.Code != 137 {
		t.Errorf("ran %+v, %v, want out of memory", ran, err)
	}
	wantNothingLeft(t, e, d)
}

func TestImages(t *testing.T) {
	e := dockertest.Start(t, &dockertest.Engine{Images: []string{"mine:1"}, Pullable: []string{"node:22-slim"}})
	containers, d := on(t, e, Options{Images: map[string]string{"python": "mine:1"}})
	_, err := containers.Run(t.Context(), tool.Container{Image: "python", Command: []string{"true"}})
	if err != nil {
		t.Errorf("the configured image: %v", err)
	}
	_, err = containers.Run(t.Context(), tool.Container{Image: "node", Command: []string{"true"}})
	wantKind(t, err, tool.NotConfigured, "docker pull node:22-slim")
	_, err = containers.Run(t.Context(), tool.Container{Image: "typescript", Command: []string{"true"}})
	wantKind(t, err, tool.NotConfigured, "No Docker image is configured for typescript")
	if len(e.Pulled()) > 0 {
		t.Errorf("pulled %q without being allowed to", e.Pulled())
	}
	wantNothingLeft(t, e, d)

	pulling, d := on(t, e, Options{Pull: true})
	for range 2 {
		if _, err = pulling.Run(t.Context(), tool.Container{Image: "node", Command: []string{"true"}}); err != nil {
			t.Errorf("an image that can be pulled: %v", err)
		}
	}
	_, err = pulling.Run(t.Context(), tool.Container{Image: "java", Command: []string{"true"}})
	wantKind(t, err, tool.NotConfigured, "could not pull the image eclipse-temurin:21-jdk")
	if !slices.Equal(e.Pulled(), []string{"node:22-slim"}) {
		t.Errorf("pulled %q, want node once", e.Pulled())
	}
	wantNothingLeft(t, e, d)
}

// fails answers requests of one kind with an error of the engine.
func fails(what string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.Method+" "+r.URL.Path, what) {
			return false
		}
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"message":"no such thing in /var/lib/docker/secret"}`)
		return true
	}
}

func TestEngineRefuses(t *testing.T) {
	for what, message := range map[string]string{
		"/_ping": "Docker failed while it was looked for", "/create": "Docker failed while it made the container",
		"/attach": "Docker failed while it attached", "/start": "could not start the container", "/wait": "Docker went away",
	} {
		e := dockertest.Start(t, &dockertest.Engine{Fail: fails(what), Run: hang})
		containers, d := on(t, e, Options{})
		_, err := containers.Run(t.Context(), tool.Container{Image: "shell", Command: []string{"true"}})
		wantKind(t, err, tool.ExecutionError, message)
		if strings.Contains(tool.AsError(err).Msg, "/var/lib") {
			t.Errorf("%s: message %q shows what only the log may", what, tool.AsError(err).Msg)
		}
		wantNothingLeft(t, e, d)
	}
}

func TestOutcomeUnknown(t *testing.T) {
	began := make(chan struct{})
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		close(began)
		return hang(b)
	}})
	containers, _ := on(t, e, Options{Network: "bridge"})
	go func() {
		<-began
		e.Die()
	}()
	_, err := containers.Run(t.Context(), tool.Container{Image: "node", Command: []string{"npm"}, Network: true})
	wantKind(t, err, tool.OutcomeUnknown, "may have done its work or not")
}

// TestEngineDiesAsItStarts: a start that is not answered may have been one.
func TestEngineDiesAsItStarts(t *testing.T) {
	for _, tt := range []struct {
		asks tool.Container
		kind tool.Kind
	}{
		{tool.Container{Image: "node", Command: []string{"npm"}, Network: true}, tool.OutcomeUnknown},
		{tool.Container{Image: "node", Command: []string{"node"}}, tool.ExecutionError},
	} {
		var e *dockertest.Engine
		e = dockertest.Start(t, &dockertest.Engine{Run: hang, Fail: func(_ http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/start") {
				return false
			}
			e.Die()
			return true
		}})
		containers, _ := on(t, e, Options{Network: "bridge"})
		_, err := containers.Run(t.Context(), tt.asks)
		wantKind(t, err, tt.kind, "Docker went away")
	}
}

func TestEngineDies(t *testing.T) {
	began := make(chan struct{})
	e := dockertest.Start(t, &dockertest.Engine{Run: func(b *dockertest.Box) dockertest.Exit {
		close(began)
		return hang(b)
	}})
	containers, _ := on(t, e, Options{})
	go func() {
		<-began
		e.Die()
	}()
	_, err := containers.Run(t.Context(), tool.Container{Image: "node", Command: []string{"node"}})
	wantKind(t, err, tool.ExecutionError, "Docker went away while the command ran; try again")
}
