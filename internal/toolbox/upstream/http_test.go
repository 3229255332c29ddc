package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
	"github.com/helve-dev/helve/tool"
)

// listens starts a server over HTTP; the handler may be one around the usual one.
func listens(t *testing.T, o *mcp.StreamableHTTPOptions, around func(http.Handler) http.Handler) (Server, *httptest.Server) {
	t.Helper()
	server := upstreamtest.New()
	var h http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	if around != nil {
		h = around(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.Close()
		for session := range server.Sessions() { // those that were left without a word
			_ = session.Close()
		}
	})
	return Server{Name: "h", URL: srv.URL + "/mcp", Private: true}, srv
}

// TestHTTP: a server over HTTP is one like any other, with events or without.
func TestHTTP(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]*mcp.StreamableHTTPOptions{"events": {}, "json": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var without atomic.Int64
			s, _ := listens(t, o, func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer k" {
						without.Add(1)
					}
					h.ServeHTTP(rw, r)
				})
			})
			s.Headers = map[string]string{"Authorization": "Bearer k"}
			w := open(t, s)
			w.says("h_look_up", `{"word":"x"}`, `found {"word":"x"}`)
			res, err := w.call("h_count", `{}`)
			if err != nil || string(res.Value) != `{"id":9007199254740993,"share":0.10}` {
				t.Errorf("structured content is %s, %v", res.Value, err)
			}
			w.says("h_morph", `{"to":"Other."}`, "Tells the weather.")
			w.pool.clients[0].listAgain() // servers that send JSON say nothing by themselves
			queuetest.Until(t, "the change is noticed", func() bool { return w.pool.Refuses("h_morph") != nil })
			if n := without.Load(); n > 0 {
				t.Errorf("%d requests came without the header", n)
			}
		})
	}
}

// TestHTTPGuard: a private address is reached only where the operator says so, and a
// redirect to another host is sent no secret.
func TestHTTPGuard(t *testing.T) {
	t.Parallel()
	s, _ := listens(t, nil, nil)
	s.Private = false
	w := open(t, s)
	if why := w.reason(""); !strings.Contains(why, "permission_denied") {
		t.Errorf("a private address is refused with %q", why)
	}
	var seen atomic.Pointer[http.Header]
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen.Store(&r.Header) }))
	t.Cleanup(elsewhere.Close)
	s, _ = listens(t, nil, func(http.Handler) http.Handler {
		return http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect)
	})
	s.Headers = map[string]string{"Authorization": "Bearer k", "X-Key": "k"}
	w = open(t, s)
	if why := w.reason(""); !strings.Contains(why, "permission_denied") || seen.Load() != nil {
		t.Errorf("a redirect to another port ended in %q, with the header %v", why, seen.Load())
	}
}

// TestHTTPAway: a server that is down is reported immediately, and works again when it
// is back.
func TestHTTPAway(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	s, srv := listens(t, nil, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(rw, r)
		})
	})
	w := open(t, s)
	run := w.begin("h_look_up", `{"word":"x"}`)
	away.Store(true)
	srv.CloseClientConnections()
	queuetest.Until(t, "it is noticed", func() bool {
		_, err := run(queuetest.Context(t))
		e := tool.AsError(err)
		return e != nil && e.Kind == tool.ToolNotAvailable && w.pool.Refuses("h_look_up") != nil
	})
	away.Store(false)
	queuetest.Until(t, "it is there again", func() bool { return w.pool.Refuses("h_look_up") == nil })
	w.says("h_look_up", `{"word":"x"}`, `found {"word":"x"}`)
}

// TestHTTPHuge: 100 MB over HTTP cost a few, as JSON and as an event.
func TestHTTPHuge(t *testing.T) { // alone: it counts what the process allocates
	for _, kind := range []string{"application/json", "text/event-stream"} {
		var runs atomic.Int64
		s, _ := listens(t, nil, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				var call struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				body, err := io.ReadAll(r.Body)
				if err != nil || json.Unmarshal(body, &call) != nil || call.Method != "tools/call" || runs.Add(1) > 1 {
					r.Body = io.NopCloser(strings.NewReader(string(body)))
					h.ServeHTTP(rw, r)
					return
				}
				rw.Header().Set("Content-Type", kind)
				if kind != "application/json" {
					fmt.Fprint(rw, "event: message\ndata: ")
				}
				fmt.Fprintf(rw, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, call.ID)
				for range 100 {
					if _, err := io.WriteString(rw, strings.Repeat("x", 1<<20)); err != nil {
						return
					}
				}
				fmt.Fprint(rw, "\"}]}}\n\n")
			})
		})
		w := open(t, s)
		run := w.begin("h_look_up", `{"word":"x"}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := run(queuetest.Context(t))
		runtime.ReadMemStats(&after)
		fails(t, err, tool.ExecutionError, "at most 4194304 are taken")
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 300<<20 { // the server's own among it
			t.Errorf("%s: 100 MB cost %d bytes", kind, cost)
		}
		w.says("h_look_up", `{"word":"x"}`, `found {"word":"x"}`)
		w.pool.Close()
	}
}

// TestConcurrency: a server has no more concurrent calls than the operator allows, and a
// call that was never sent did nothing.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	w := open(t, aServer("g", "good", func(s *Server) { s.MaxConcurrent = 1 }))
	ctx, cancel := context.WithCancel(queuetest.Context(t))
	defer cancel()
	first := w.begin("g_wait", `{}`)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = first(ctx)
	}()
	queuetest.Receive(t, w.events, "progress")
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := w.begin("g_look_up", `{"word":"x"}`)(short); err == nil || tool.AsError(err).Kind != tool.Timeout {
		t.Errorf("a call that found no place ended with %v, want a timeout", err)
	}
	cancel()
	queuetest.Receive(t, done, "end of the first")
	w.says("g_look_up", `{"word":"x"}`, `found {"word":"x"}`)
}
