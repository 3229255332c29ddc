package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// dispatcherAt answers the listings of calls, one page after the other, at an address. At
// the request after the last page it refuses and calls end.
func dispatcherAt(t *testing.T, addr string, end func(), pages ...string) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Error(err) // of a goroutine of the test, too
		return httptest.NewServer(http.NotFoundHandler())
	}
	ending := sync.OnceFunc(end)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if len(pages) == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			go ending()
			return
		}
		io.WriteString(w, `{"calls":[`+pages[0]+`]}`)
		pages = pages[1:]
	}))
	_ = srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// TestFollowPrintsEachStateOnce follows calls over a restart of the dispatcher: each state is
// printed once, and the command ends with success when it is interrupted.
func TestFollowPrintsEachStateOnce(t *testing.T) {
	testtime.Slow(t, "it waits for a dispatcher that restarts")
	call := func(id, state string) string {
		return fmt.Sprintf(`{"call_id":%q,"state":%q,"tool":"debug.echo","since":"2026-11-20T12:00:00Z"}`, id, state)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	ended := make(chan struct{})
	first := dispatcherAt(t, "127.0.0.1:0", func() { close(ended) }, call("a", "queued"), call("b", "queued")+","+call("a", "running"),
		call("b", "queued")+","+call("a", "done"))
	addr := first.Listener.Addr().String()
	lost := make(chan struct{})
	go func() {
		<-ended
		first.Close()
		close(lost)
	}()
	go func() {
		<-lost
		dispatcherAt(t, addr, interrupt, call("a", "done")+","+call("b", "done"), call("c", "queued")+","+call("a", "done"))
	}()
	got := run(ctx, "--server", "http://"+addr, "calls", "--follow", "--json")
	var states []string
	for line := range strings.Lines(got.stdout) {
		_, rest, _ := strings.Cut(line, `"call_id":"`)
		_, state, _ := strings.Cut(rest, `"state":"`)
		states = append(states, rest[:1]+" "+state[:strings.Index(state, `"`)])
	}
	const want = "a queued, a running, b queued, a done, b done, c queued"
	if text := strings.Join(states, ", "); got.code != exitOK || text != want {
		t.Errorf("calls --follow: code %d, printed %s, want %s\n%s", got.code, text, want, got.stderr)
	}
}

// TestFollowNeedsAnAnswer: a dispatcher that never answered is an error.
func TestFollowNeedsAnAnswer(t *testing.T) {
	first := dispatcherAt(t, "127.0.0.1:0", func() {}, "")
	addr := first.Listener.Addr().String()
	first.Close()
	if got := run(t.Context(), "--server", "http://"+addr, "calls", "--follow"); got.code != exitUnreachable {
		t.Errorf("without a dispatcher: %+v, want exit code %d", got, exitUnreachable)
	}
}

// TestForget: of many printed calls those stay known that are still listed.
func TestForget(t *testing.T) {
	t.Parallel()
	printed := map[string]string{"a": "done", "b": "running"}
	forget(printed, []client.CallSummary{{CallID: "b"}, {CallID: "c"}})
	if len(printed) != 1 || printed["b"] != "running" {
		t.Errorf("known are %v, want b", printed)
	}
}
