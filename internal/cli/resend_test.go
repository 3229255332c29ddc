package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/test/testtime"
)

// dying answers the first execute by cutting the connection, later ones as alive is set.
type dying struct {
	mu    sync.Mutex
	ids   []string
	alive bool
	down  func()
}

func (d *dying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Calls []struct {
			ID string `json:"call_id"`
		} `json:"calls"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Calls) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids = append(d.ids, req.Calls[0].ID)
	if len(d.ids) == 1 || !d.alive {
		if !d.alive {
			go d.down()
		}
		panic(http.ErrAbortHandler)
	}
	fmt.Fprintf(w, `{"trace_id":"t","results":[{"call_id":%q,"tool":"x","status":"success","state":"done","result":"done once"}]}`,
		req.Calls[0].ID)
}

func TestCallSendsItselfAgain(t *testing.T) {
	server := &dying{alive: true}
	srv := httptest.NewServer(server)
	defer srv.Close()
	out := run(t.Context(), "--server", srv.URL, "call", "x", `{}`)
	if out.code != exitOK || out.stdout != "done once\n" {
		t.Fatalf("call = %+v, want the result of the second attempt", out)
	}
	if len(server.ids) != 2 || server.ids[0] != server.ids[1] || server.ids[0] == "" {
		t.Errorf("the call was sent under %q, want twice under one ID", server.ids)
	}
	if !strings.Contains(out.stderr, server.ids[0]) {
		t.Errorf("standard error is %q, want the call's ID %s in it", out.stderr, server.ids[0])
	}
}

func TestCallNamesItselfWhenItsServerIsGone(t *testing.T) {
	testtime.Slow(t, "it waits until the command gives up")
	server := &dying{}
	srv := httptest.NewUnstartedServer(server)
	server.down = func() { _ = srv.Listener.Close() }
	srv.Start()
	defer srv.Close()
	out := run(t.Context(), "--server", srv.URL, "call", "x", `{}`, "--call-id", "mine", "--wait", "1ms")
	if out.code != exitUnreachable || !strings.Contains(out.stderr, "call mine may have been accepted: see `helve get mine`") {
		t.Errorf("call = %+v, want exit code %d and how to find the call", out, exitUnreachable)
	}
}
