package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/cli"
)

// lines hands out what is printed.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestUp is the README: everything in one process, then a call from another
// command, over HTTP and over NATS.
func TestUp(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	printed, code := make(lines, 8), make(chan int, 1)
	args := []string{"up", "--data", t.TempDir(), "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--workers", "2", "--log-level", "warn"}
	go func() {
		code <- cli.Run(ctx, args, strings.NewReader(""), printed, io.Discard, upCommand(nil))
	}()
	var web, nats string
	select {
	case line := <-printed:
		words := strings.Fields(line)
		if len(words) != 3 || words[0] != "ready" || !strings.HasPrefix(words[1], "http=http://") ||
			!strings.HasPrefix(words[2], "nats=nats://") {
			t.Fatalf("up printed %q, want its ready line", line)
		}
		web, nats = strings.TrimPrefix(words[1], "http="), strings.TrimPrefix(words[2], "nats=")
	case <-time.After(30 * time.Second):
		t.Fatal("up is not ready")
	}
	for _, server := range []string{web, nats} {
		var out, errs bytes.Buffer
		got := cli.Run(t.Context(), []string{"call", "get_current_time", "timezone=Europe/Paris", "--server", server}, strings.NewReader(""),
			&out, &errs)
		if at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(out.String())); got != 0 || err != nil || time.Since(at).Abs() > time.Hour {
			t.Errorf("helve call over %s = %d, %q, %q, want the time in Paris", server, got, out.String(), errs.String())
		}
	}
	// Its machine is the person's own, so it also takes calls for a desktop.
	metrics := page(t, web+"/metrics")
	for _, pool := range []string{"default", "desktop"} {
		if want := `helve_worker_slots{pool="` + pool + `"`; !strings.Contains(metrics, want) {
			t.Errorf("the metrics hold no %s", want)
		}
	}
	stop()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("up exited %d after its drain, want 0", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("up did not drain")
	}
}

func TestUpRefusesBadUsage(t *testing.T) {
	var errs bytes.Buffer
	got := cli.Run(t.Context(), []string{"up", "--workers", "-1"}, strings.NewReader(""), io.Discard, &errs, upCommand(nil))
	if got != 2 || !strings.Contains(errs.String(), "up.workers") {
		t.Errorf("up --workers -1 = %d, %q, want 2 and the setting's name", got, errs.String())
	}
}

func page(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUpTakesDesktopCalls(t *testing.T) {
	for given, want := range map[string][]string{
		"worker: {}": {"default", "desktop"}, "worker: {pools: [default, gpu]}": {"default", "gpu", "desktop"},
		"worker: {pools: [desktop, default]}": {"desktop", "default"},
	} {
		file := filepath.Join(t.TempDir(), "helve.yaml")
		if err := os.WriteFile(file, []byte(given+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		got := cli.Run(t.Context(), []string{"up", "--print-config", "--config", file}, strings.NewReader(""), &out, &errs, upCommand(nil))
		if pools := "pools:\n    - " + strings.Join(want, "\n    - ") + "\n  slots:"; got != 0 || !strings.Contains(out.String(), pools) {
			t.Errorf("up with %s = %d, %q, %q, want %s", given, got, out.String(), errs.String(), pools)
		}
	}
}

// TestUpNamesTheFlag: what the machine refuses is answered with the flag that avoids it.
func TestUpNamesTheFlag(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	addr, file := strings.TrimPrefix(taken.URL, "http://"), filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"--http (http.addr)", []string{"--http", addr, "--nats", "127.0.0.1:0", "--data", t.TempDir()}},
		{"--nats (up.nats_addr)", []string{"--http", "127.0.0.1:0", "--nats", addr, "--data", t.TempDir()}},
		{"--data (data)", []string{"--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--data", filepath.Join(file, "data")}},
	} {
		var errs bytes.Buffer
		got := cli.Run(t.Context(), append([]string{"up", "--log-level", "error"}, tt.args...), strings.NewReader(""), io.Discard, &errs,
			commands(nil)...)
		if got != 1 || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("up %v = %d, %q, want %s", tt.args, got, errs.String(), tt.want)
		}
	}
}
