package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// hook is a receiver of callbacks.
type hook struct {
	*httptest.Server

	mu  sync.Mutex
	got []element
}

func newHook(t *testing.T) *hook {
	t.Helper()
	return newHookAt(t, "127.0.0.1:0")
}

func newHookAt(t *testing.T, addr string) *hook {
	t.Helper()
	h := &hook{}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body) // a part of one is no element
		var e element
		if err := json.Unmarshal(body, &e); err != nil {
			t.Errorf("a callback with %.100q: %v", body, err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got = append(h.got, e)
	}))
	_ = h.Listener.Close() // which the server opened by itself
	h.Listener = l
	h.Start()
	t.Cleanup(h.Close)
	return h
}

// allow returns the variable with which a dispatcher may call it back.
func (h *hook) allow() string {
	return "HELVE_CALLBACKS_ALLOWED_HOSTS=" + strings.TrimPrefix(h.URL, "http://")
}

// of returns the elements of a call that were received.
func (h *hook) of(id string) (all []element) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.got {
		if id == "" || e.CallID == id {
			all = append(all, e)
		}
	}
	return all
}

func (h *hook) await(t *testing.T, id string, n int) []element {
	t.Helper()
	await(t, fmt.Sprintf("%d callbacks of %q", n, id), func() bool { return len(h.of(id)) >= n })
	return h.of(id)
}

// sendTo sends a call with a callback on its own goroutine.
func (d door) sendTo(t *testing.T, url string, c *call) <-chan answer {
	t.Helper()
	req := map[string]any{"calls": []*call{c}, "wait_ms": time.Minute.Milliseconds(), "callback": map[string]any{"url": url}}
	if c.user != "" {
		req["context"] = map[string]string{"user": c.user}
	}
	body, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan answer, 1)
	go func() {
		var a struct {
			Results []element `json:"results"`
			Detail  string    `json:"detail"`
		}
		status, err := request(http.MethodPost, d.url+"/v1/execute", c.tenant, body, &a)
		got <- answer{status, a.Results, a.Detail, err}
	}()
	return got
}

// TestCallbackFails strikes a dispatcher at every boundary of a callback: where it accepts
// one, and where it sends one. The result is sent, by that dispatcher or another; twice only
// if the dispatcher was struck after the receiver's answer.
func TestCallbackFails(t *testing.T) {
	for _, tt := range []struct {
		point string
		sent  int
	}{
		{failpoint.DispatcherAfterCallback, 1},
		{failpoint.DispatcherBeforeAnswer, 1},
		{failpoint.CallbackCopied, 1},
		{failpoint.CallbackSent, 2},
	} {
		for _, action := range actions {
			t.Run(strings.Join([]string{tt.point, action}, "/"), func(t *testing.T) {
				t.Parallel()
				h := newHook(t)
				w := newWorld(t)
				w.worker()
				victim := w.dispatcher(h.allow(), failing("%s=%s@1", tt.point, action))
				c := w.writer("c1", 0, 0)
				victim.sendTo(t, h.URL, c)
				victim.struck(tt.point, action)
				d := victim
				if action != "error" {
					d = w.dispatcher(h.allow())
				}
				settled := d.settle(t, c) // without a callback
				for _, e := range h.await(t, "c1", tt.sent) {
					if !e.same(&settled) {
						t.Errorf("sent %+v, stored %+v", e, settled)
					}
				}
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
				}
				last := w.writer("last", 0, 0)
				<-d.sendTo(t, h.URL, last)
				h.await(t, "last", 1)
				w.settled(d)
				if n := len(h.of("c1")); n != tt.sent {
					t.Errorf("the result was sent %d times, want %d", n, tt.sent)
				}
			})
		}
	}
}

// TestCallbackOutlivesItsDispatcher: the dispatcher that accepted a call dies before it has
// answered, so nobody knows the id of the call. Its result is sent.
func TestCallbackOutlivesItsDispatcher(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	w := newWorld(t)
	w.worker()
	d := w.dispatcher(h.allow())
	unknown := &call{Tool: "debug.effect", Args: map[string]any{"key": "k", "before_ms": 3000}, tenant: defaultTenant}
	lost := d.sendTo(t, h.URL, unknown)
	o := w.observe()
	await(t, "the call runs", func() bool { return o.queued() == 1 })
	d.kill()
	<-lost
	other := w.dispatcher(h.allow())
	if e := h.await(t, "", 1)[0]; e.outcome() != "success" {
		t.Errorf("sent %+v", e)
	}
	w.settled(other)
	if n := len(h.of("")); n != 1 {
		t.Errorf("the result was sent %d times", n)
	}
}

// TestEverythingKilledWithCallbacks keeps only the files of calls that wait for a person and
// of results whose receiver is away, and starts other processes on them.
func TestEverythingKilledWithCallbacks(t *testing.T) {
	t.Parallel()
	h, away := newHook(t), queuetest.Addr(t)
	addr, dir := queuetest.Addr(t), t.TempDir()
	server := natsd(t, addr, dir)
	w := worldAt(t, "nats://"+addr)
	w.worker()
	allow := h.allow() + "," + away
	d := w.dispatcher(allow)
	parked := w.guarded("parked")
	parked.user = person
	if a := <-d.sendTo(t, h.URL, parked); a.err != nil || a.elements[0].State != "awaiting_consent" {
		t.Fatalf("answer: %+v", a)
	}
	id := d.asked(parked)
	done := w.writer("done", 0, 0)
	<-d.sendTo(t, "http://"+away, done)
	await(t, "an attempt that failed", func() bool { return strings.Contains(d.output(), "callback not delivered") })
	for _, p := range append(w.all, server) {
		p.kill()
	}
	back := newHookAt(t, away)
	natsd(t, addr, dir)
	w.worker()
	d = w.dispatcher(allow)
	if e := back.await(t, "done", 1)[0]; e.outcome() != "success" {
		t.Errorf("sent %+v", e)
	}
	if status := d.decide(id, "grant"); status != 200 {
		t.Errorf("grant = %d, want 200", status)
	}
	if e := h.await(t, "parked", 1)[0]; e.outcome() != "success" {
		t.Errorf("sent %+v", e)
	}
	w.settled(d)
	if n, m := len(back.of("done")), len(h.of("parked")); n != 1 || m != 1 {
		t.Errorf("the results were sent %d and %d times", n, m)
	}
}
