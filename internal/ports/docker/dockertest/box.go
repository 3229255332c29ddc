package dockertest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/moby/moby/api/types/container"
)

// box is a container.
type box struct {
	request container.CreateRequest
	killed  context.Context
	kill    context.CancelFunc
	ended   chan struct{}
	exit    Exit

	mu   sync.Mutex
	conn net.Conn // of the attached client
	in   io.Reader
}

func newBox(request container.CreateRequest) *box {
	b := &box{request: request, ended: make(chan struct{}), in: strings.NewReader("")}
	b.killed, b.kill = context.WithCancel(context.Background())
	return b
}

func (e *Engine) create(w http.ResponseWriter, r *http.Request) {
	var request container.CreateRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Images != nil && !slices.Contains(append(e.pulled, e.Images...), request.Image) {
		refuse(w, http.StatusNotFound, "No such image: "+request.Image)
		return
	}
	name := r.URL.Query().Get("name")
	e.boxes[name] = newBox(request)
	e.made = append(e.made, Made{name, request})
	answer(w, http.StatusCreated, container.CreateResponse{ID: name, Warnings: []string{}})
}

func (e *Engine) pull(w http.ResponseWriter, r *http.Request) {
	image := strings.TrimPrefix(r.URL.Query().Get("fromImage"), "docker.io/library/") + ":" + r.URL.Query().Get("tag")
	if !slices.Contains(e.Pullable, image) {
		answer(w, http.StatusOK, map[string]any{"errorDetail": map[string]string{"message": "manifest unknown"}, "error": "manifest unknown"})
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "Pulling"})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pulled = append(e.pulled, image)
}

func (e *Engine) list(w http.ResponseWriter, r *http.Request) {
	var filters map[string]map[string]bool
	if err := json.Unmarshal([]byte(r.URL.Query().Get("filters")), &filters); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	all := []container.Summary{}
	for name, b := range e.boxes {
		matches := true
		for label := range filters["label"] {
			_, has := b.request.Labels[label]
			matches = matches && has
		}
		if matches {
			all = append(all, container.Summary{ID: name, Labels: b.request.Labels})
		}
	}
	answer(w, http.StatusOK, all)
}

// attach takes over the connection, as the engine does.
func (e *Engine) attach(w http.ResponseWriter, _ *http.Request, b *box) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conn = conn
	if b.request.OpenStdin {
		b.in = buffered
	}
	// Only now, because the client starts the container immediately afterwards.
	_, _ = io.WriteString(conn,
		"HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.multiplexed-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
}

func (b *box) hangUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn != nil {
		_ = b.conn.Close()
	}
}

// stream writes frames of one stream to the attached client.
type stream struct {
	*box

	number byte
}

// Write implements [io.Writer].
func (s stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn == nil {
		return len(p), nil
	}
	frame := append(binary.BigEndian.AppendUint32([]byte{s.number, 0, 0, 0}, uint32(len(p))), p...)
	if _, err := conn.Write(frame); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (e *Engine) start(w http.ResponseWriter, _ *http.Request, b *box) {
	go func() {
		if e.Run != nil {
			b.exit = e.Run(&Box{Request: b.request, Stdin: b.in, Stdout: stream{b, 1}, Stderr: stream{b, 2}, Killed: b.killed})
		}
		close(b.ended)
		b.hangUp()
	}()
	w.WriteHeader(http.StatusNoContent)
}

func (e *Engine) wait(w http.ResponseWriter, r *http.Request, b *box) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // the client waits for this before it starts the container
	select {
	case <-b.ended:
		write(w, container.WaitResponse{StatusCode: int64(b.exit.Code)})
	case <-r.Context().Done():
	}
}

func (e *Engine) kill(w http.ResponseWriter, _ *http.Request, b *box) {
	b.kill()
	w.WriteHeader(http.StatusNoContent)
}

func (e *Engine) inspect(w http.ResponseWriter, _ *http.Request, b *box) {
	state := &container.State{}
	select {
	case <-b.ended:
		state.OOMKilled, state.ExitCode = b.exit.OutOfMemory, b.exit.Code
	default:
		state.Running = true
	}
	answer(w, http.StatusOK, container.InspectResponse{State: state})
}

func (e *Engine) remove(w http.ResponseWriter, r *http.Request, b *box) {
	if r.URL.Query().Get("force") != "1" || r.URL.Query().Get("v") != "1" {
		refuse(w, http.StatusConflict, "the container is running")
		return
	}
	b.kill()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.boxes, r.PathValue("name"))
	w.WriteHeader(http.StatusNoContent)
}
