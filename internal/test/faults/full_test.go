package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/x/failpoint"
)

// bound sets the maximum bytes of the stream of a subject, and removes its bound on
// messages.
func (o observer) bound(subject string, bytes int64) {
	o.t.Helper()
	cfg := o.streamOf(subject).CachedInfo().Config
	cfg.MaxBytes, cfg.MaxMsgs = bytes, 1<<40
	ctx, cancel := context.WithTimeout(context.Background(), patience())
	defer cancel()
	if _, err := o.js.UpdateStream(ctx, cfg); err != nil {
		o.t.Fatal(err)
	}
}

// TestFullStreamRefusesCalls runs calls until the trail, or the results, have no room:
// earlier answers are stored, new calls are refused with the reason, which is logged once,
// and calls are accepted again when there is room, with the same call_ids too.
func TestFullStreamRefusesCalls(t *testing.T) {
	for _, tt := range []struct{ name, subject, setting, reason string }{
		{"audit", "helve.v1.default.audit.tool", "HELVE_AUDIT_MAX_BYTES=48KiB", "the audit stream is full"},
		{"results", "helve.v1.default.result.pool.a.b", "HELVE_STREAMS_RESULTS_MAX_BYTES=24KiB", "the results stream is full"},
		{
			"messages of results", "helve.v1.default.result.pool.a.b", "HELVE_STREAMS_RESULTS_MAX_MESSAGES=20 HELVE_STREAMS_RESULTS_MAX_BYTES=1MiB",
			"raise streams.results_max_messages",
		},
		{"once-only records", "helve.v1.default.once.a.accepted", "HELVE_STREAMS_ONCE_MAX_MESSAGES=60", "raise streams.once_max_messages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			at := queuetest.Addr(t)
			w.spawnWorker(at, strings.Fields(tt.setting)...).line("ready worker=")
			d := w.dispatcher(strings.Fields(tt.setting)...)
			var answered, refused []*call
			for began := time.Now(); len(refused) == 0; {
				if time.Since(began) > time.Minute {
					t.Fatalf("no call is refused, and %d were answered", len(answered))
				}
				asked := w.sleepers(10, 0)
				a := d.execute(3*time.Second, asked...)
				if len(a.elements) != len(asked) {
					t.Fatalf("calls are answered %+v", a)
				}
				for i, e := range a.elements {
					switch e.outcome() {
					case "success":
						answered = append(answered, asked[i])
					case "overloaded":
						refused = append(refused, asked[i])
						if !strings.Contains(e.Message, tt.reason) {
							t.Errorf("a call is refused with %q, want %q", e.Message, tt.reason)
						}
					case "pending": // it was accepted before, and waits
					default:
						t.Errorf("a call ended in %+v", e)
					}
				}
			}
			if len(answered) < 10 {
				t.Errorf("%d calls were answered before the stream was full", len(answered))
			}
			for _, c := range answered {
				if e, _ := d.get(c); e.Status != "success" {
					t.Errorf("%s was answered; stored is %+v", c.ID, e)
				}
			}
			for range 20 {
				if a := d.execute(time.Second, refused[0], &call{
					Tool: "no.such.tool", tenant: defaultTenant,
				}); a.status != http.StatusServiceUnavailable {
					t.Fatalf("calls are answered %+v while the stream is full, want 503", a)
				}
			}
			await(t, "no readiness", func() bool {
				return ready(d.url) == http.StatusServiceUnavailable && ready("http://"+at) == http.StatusServiceUnavailable
			})
			w.observe().bound(tt.subject, 1<<30)
			await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK && ready("http://"+at) == http.StatusOK })
			w.wantOutcomes(w.settleAll(d, w.calls), w.calls, "success")
			w.wantEachOnRecord()
			for _, p := range w.all {
				await(t, "its log", func() bool { return strings.Contains(p.output(), "stream has room again") })
				if n := strings.Count(p.output(), "stream full, calls refused"); n != 1 {
					t.Errorf("%s logged %d times that the stream is full, want once", p.name, n)
				}
				if n := strings.Count(p.output(), "not stored"); n > 0 {
					t.Errorf("%s logged %d lines about single calls", p.name, n)
				}
			}
			w.settled(d)
		})
	}
}

// TestRefusedCallLeavesNoTrace fills the queue of calls until one is refused, by a
// dispatcher that then receives the same call_id again, and by another. Once there is room
// each of the ids runs, once.
func TestRefusedCallLeavesNoTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const setting = "HELVE_STREAMS_CALLS_MAX_BYTES=256KiB"
	w.worker(setting).drain() // its tools stay known, and no worker takes a call
	first, second := w.dispatcher(setting), w.dispatcher(setting)
	large := func(id string) *call {
		return w.call(defaultTenant, id, "debug.echo", map[string]any{"value": strings.Repeat("x", 40<<10)})
	}
	var refused []*call
	for n := 0; len(refused) < 3; n++ {
		c := large(fmt.Sprintf("c%d", n))
		a := first.execute(0, c)
		if len(a.elements) != 1 {
			t.Fatalf("a call is answered %+v", a)
		}
		if e := a.elements[0]; e.outcome() == "overloaded" {
			refused = append(refused, c)
		}
	}
	for _, d := range []door{second, first} {
		a := d.execute(0, refused[0])
		if a.status != http.StatusServiceUnavailable || a.elements[0].outcome() != "overloaded" ||
			!strings.Contains(a.elements[0].Message, "the queue of calls is full") {
			t.Errorf("the refused call sent again is answered %+v", a)
		}
	}
	if _, status := second.get(refused[0]); status != http.StatusNotFound {
		t.Errorf("a refused call is answered %d, want 404", status)
	}
	w.worker(setting)
	w.wantOutcomes(w.settleAll(second, w.calls), w.calls, "success")
	w.settled(first)
}

// TestDispatcherDiesWithARefusedCall kills a dispatcher that has not taken back the
// acceptance of a call which the queue refused. The caller was not answered; another
// dispatcher runs the call once there is room.
func TestDispatcherDiesWithARefusedCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const setting = "HELVE_STREAMS_CALLS_MAX_BYTES=256KiB"
	w.worker(setting).drain()
	dying, d := w.dispatcher(setting, failing("%s=kill", failpoint.DispatcherBeforeRelease)), w.dispatcher(setting)
	for n := 0; !dying.gone(); n++ {
		dying.execute(0, w.call(defaultTenant, fmt.Sprintf("c%d", n), "debug.echo", map[string]any{"value": strings.Repeat("x", 40<<10)}))
		if n > 100 {
			t.Fatal("no call was refused")
		}
	}
	w.worker(setting)
	w.wantOutcomes(w.settleAll(d, w.calls), w.calls, "success")
	w.settled(d)
}

// TestHungNATSHoldsNobody stops the server with SIGSTOP: each request is answered while it
// is stopped, and the dispatcher recovers when it continues.
func TestHungNATSHoldsNobody(t *testing.T) {
	t.Parallel()
	server := natsd(t, "127.0.0.1:0", t.TempDir())
	w := worldAt(t, server.line("ready nats="))
	w.worker()
	d := w.dispatcher()
	server.pause()
	answers := map[string]<-chan int{}
	ask := func(what string, do func() int) {
		got := make(chan int, 1)
		answers[what] = got
		go func() { got <- do() }()
	}
	for _, id := range []string{"", "mine"} {
		c := &call{ID: id, Tool: "debug.sleep", Args: map[string]any{"ms": 1}, tenant: defaultTenant}
		for _, wait := range []time.Duration{0, time.Second} {
			ask(fmt.Sprintf("execute %q with %v", id, wait), func() int { return d.execute(wait, c).status })
		}
	}
	for n := range 60 { // more than the buffers of the connection hold
		c := &call{Tool: "debug.echo", Args: map[string]any{"value": strings.Repeat("x", 200<<10)}, tenant: defaultTenant}
		ask(fmt.Sprintf("execute large %d", n), func() int { return d.execute(time.Second, c).status })
	}
	for _, path := range []string{
		"GET /v1/calls/x", "POST /v1/calls/x/cancel", "GET /v1/grants?user=u", "GET /v1/audit", "DELETE /v1/agents/a",
	} {
		ask(path, func() int {
			method, to, _ := strings.Cut(path, " ")
			status, _ := request(method, d.url+to, defaultTenant, nil, new(any))
			return status
		})
	}
	ask("execute by mcp", func() int {
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debug.sleep","arguments":{"ms":1}}}`
		if _, err := request(http.MethodPost, d.url+"/mcp", defaultTenant, []byte(body), nil); err != nil {
			return 0
		}
		return http.StatusServiceUnavailable // any answer; MCP has its own errors
	})
	for what, got := range answers {
		late := 20 * time.Second
		if strings.HasPrefix(what, "execute") {
			late = 10 * time.Second
		}
		select {
		case status := <-got:
			if status != http.StatusServiceUnavailable {
				t.Errorf("%s is answered %d while NATS hangs, want 503", what, status)
			}
		case <-time.After(late):
			t.Errorf("%s is not answered while NATS hangs", what)
		}
	}
	await(t, "no readiness", func() bool { return ready(d.url) == http.StatusServiceUnavailable })
	server.signal(syscall.SIGCONT)
	await(t, "readiness", func() bool { return ready(d.url) == http.StatusOK })
	after := w.sleepers(5, 1)
	w.wantOutcomes(w.settleAll(d, after), after, "success")
	w.settled(d)
}
