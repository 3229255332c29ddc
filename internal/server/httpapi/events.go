package httpapi

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/x/gopool"
)

// maxEventID bounds the Last-Event-ID a client may send back.
const maxEventID = 256

// events streams the events of a trace as server-sent events. Last-Event-ID
// resumes after that event.
func (h *handler) events(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	trace := r.URL.Query().Get("trace_id")
	after := r.Header.Get("Last-Event-ID")
	err := api.TraceID(trace)
	if err == nil && len(after) > maxEventID {
		err = api.BadRequest("Last-Event-ID is longer than %d bytes", maxEventID)
	}
	ended := func() {}
	if err == nil {
		ended, err = h.streams.begin(payer(r, by))
	}
	if err != nil {
		writeProblem(w, err)
		return
	}
	defer ended()
	h.Open.Streams.Add(1)
	defer h.Open.Streams.Add(-1)

	ctx, stop := context.WithCancel(identity.With(r.Context(), by))
	s := &stream{w: w, control: http.NewResponseController(w), patience: h.Patience}
	if s.begin() != nil || r.Method == http.MethodHead {
		stop()
		return
	}
	var alive gopool.Group
	alive.Go(func() { h.keepAlive(ctx, stop, s, r) })
	defer alive.Wait() // nothing may write after the handler has returned
	defer stop()

	err = h.svc.Calls.Events(ctx, by.Tenant, trace, after, s.event)
	if err != nil && ctx.Err() == nil {
		h.Log.Warn("an event stream was cut", zap.String("trace_id", trace), zap.Error(err))
	}
}

// keepAlive shows proxies that the stream is alive, and detects clients that are gone.
// It stops the stream when the server drains, and when the credential that opened it is
// no longer valid.
func (h *handler) keepAlive(ctx context.Context, stop func(), s *stream, r *http.Request) {
	tick := time.NewTicker(h.KeepAlive)
	defer tick.Stop()
	var look <-chan time.Time
	if _, ok := h.session(r); ok {
		ticker := time.NewTicker(sessionLook)
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.Draining:
			stop()
			return
		case <-look:
			if h.expelled(r) {
				stop()
				return
			}
		case <-tick.C:
			if h.expelled(r) || s.send(": keep-alive\n\n") != nil {
				stop()
				return
			}
		}
	}
}

// stream writes server-sent events. A client that reads nothing for patience loses the
// connection; other clients are not delayed.
type stream struct {
	mu       sync.Mutex
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// begin sends the headers immediately: a client that sees them misses no event.
func (s *stream) begin() error {
	head := s.w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("Connection", "close") // the deadlines below are of no use to a next request
	head.Set("X-Accel-Buffering", "no")
	head.Set("X-Content-Type-Options", "nosniff")
	_ = s.control.SetReadDeadline(time.Time{}) // the server's is for requests
	s.w.WriteHeader(http.StatusOK)
	return s.send("")
}

// event sends one event. Line breaks in Data can only be white space between JSON
// tokens, and a type or ID has none.
func (s *stream) event(e dispatch.Event) error {
	var frame strings.Builder
	frame.Grow(len(e.Data) + len(e.ID) + len(e.Type) + 32)
	frame.WriteString("event: " + oneLine.Replace(e.Type))
	if e.ID != "" { // an empty ID would make the client forget the last one
		frame.WriteString("\nid: " + oneLine.Replace(e.ID))
	}
	frame.WriteString("\ndata: ")
	_, _ = oneLine.WriteString(&frame, string(e.Data))
	frame.WriteString("\n\n")
	return s.send(frame.String())
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func (s *stream) send(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patience)) // if the connection supports deadlines
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
