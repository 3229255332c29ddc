package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// lines hands out what is printed.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestRun(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	ctx, stop := context.WithCancel(t.Context())
	printed, code := make(lines, 8), make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"dispatcher", "--nats", srv.URL(), "--http", "127.0.0.1:0", "--diagnostics", "--data", t.TempDir()}, nil,
			printed, io.Discard)
	}()
	select {
	case line := <-printed:
		url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready http=")
		if !ok {
			t.Fatalf("the dispatcher printed %q, want its ready line", line)
		}
		res, err := http.Get(url + "/readyz")
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("/readyz = %v, %v, want 200", res, err)
		} else {
			_ = res.Body.Close()
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the dispatcher is not ready")
	}
	stop()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("the dispatcher exited %d after its drain, want 0", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the dispatcher did not drain")
	}
}

func TestRunRefusesBadUsage(t *testing.T) {
	var errs bytes.Buffer
	if got := run(t.Context(), []string{"dispatcher", "--http", "nowhere"}, nil, io.Discard, &errs); got != 2 ||
		!strings.Contains(errs.String(), "http.addr") {
		t.Errorf("run with a bad address = %d, %q, want 2 and the setting's name", got, errs.String())
	}
}

func TestRunPrintsItsConfig(t *testing.T) {
	var out bytes.Buffer
	if got := run(t.Context(), []string{"dispatcher", "--print-config", "--nats", "nats://u:hunter2@h:4222"}, nil, &out,
		io.Discard); got != 0 || !strings.Contains(out.String(), "max_backlog:") || strings.Contains(out.String(), "hunter2") {
		t.Errorf("--print-config = %d\n%s\nwant 0, the settings, and no password", got, out.String())
	}
}
