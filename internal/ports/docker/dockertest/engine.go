package dockertest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/moby/moby/api/types/container"
)

// Box is a container as what runs in it sees it.
type Box struct {
	Request container.CreateRequest
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Killed ends when the container is killed.
	Killed context.Context
}

// Command is the entry point and its arguments.
func (b *Box) Command() []string { return slices.Concat(b.Request.Entrypoint, b.Request.Cmd) }

// Exit is the outcome of a container.
type Exit struct {
	Code        int
	OutOfMemory bool
}

// Engine is the engine. Its fields are set before it is used.
type Engine struct {
	// Run is the program of containers; without it they exit immediately.
	Run func(b *Box) Exit
	// Images lists the existing images; all if nil.
	Images []string
	// Pullable lists the images that can be pulled.
	Pullable []string
	// Fail, if set, may answer a request in place of the engine; it then returns true.
	Fail func(w http.ResponseWriter, r *http.Request) bool

	// Host is where it listens.
	Host string

	server *httptest.Server
	mu     sync.Mutex
	boxes  map[string]*box
	made   []Made
	pulled []string
}

// Made is a container that was asked for.
type Made struct {
	Name    string
	Request container.CreateRequest
}

// Start returns an engine that listens on a socket of its own until the test ends.
func Start(t testing.TB, e *Engine) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "docker-") //nolint:usetesting // the test's own directory has too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "docker.sock")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	e.Host, e.boxes = "unix://"+socket, map[string]*box{}
	e.server = httptest.NewUnstartedServer(e.routes())
	e.server.Listener = listener
	e.server.Start()
	t.Cleanup(e.Die)
	return e
}

// Die ends the engine as a crash would: connections break, containers are killed.
func (e *Engine) Die() {
	_ = e.server.Listener.Close() // it may be closed already
	e.server.CloseClientConnections()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.boxes {
		b.hangUp()
		b.kill()
	}
}

// Made lists the containers that were asked for, oldest first.
func (e *Engine) Made() []Made {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.made)
}

// Pulled lists the images that were pulled, oldest first.
func (e *Engine) Pulled() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.pulled)
}

// Left lists the containers that are still there, by name.
func (e *Engine) Left() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for name := range e.boxes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Leave puts a container there, as if a worker had died over it.
func (e *Engine) Leave(name string, labels map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.boxes[name] = newBox(container.CreateRequest{Config: &container.Config{Labels: labels}})
}

func (e *Engine) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/_ping", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", "1.51")
		w.Header().Set("Ostype", "linux")
	})
	mux.HandleFunc("POST /{v}/containers/create", e.create)
	mux.HandleFunc("POST /{v}/images/create", e.pull)
	mux.HandleFunc("GET /{v}/containers/json", e.list)
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, *box){
		"POST /{v}/containers/{name}/attach": e.attach,
		"POST /{v}/containers/{name}/wait":   e.wait,
		"POST /{v}/containers/{name}/start":  e.start,
		"POST /{v}/containers/{name}/kill":   e.kill,
		"GET /{v}/containers/{name}/json":    e.inspect,
		"DELETE /{v}/containers/{name}":      e.remove,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			e.mu.Lock()
			b := e.boxes[r.PathValue("name")]
			e.mu.Unlock()
			if b == nil {
				refuse(w, http.StatusNotFound, "No such container: "+r.PathValue("name"))
				return
			}
			handle(w, r, b)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.Fail == nil || !e.Fail(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	write(w, body)
}

func write(w io.Writer, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // a mistake in this package
	}
	_, _ = w.Write(append(text, '\n')) // the client may have gone
}

// Broken is a Fail of an engine that fails at everything.
func Broken(w http.ResponseWriter, _ *http.Request) bool {
	refuse(w, http.StatusInternalServerError, "out of order")
	return true
}
