package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/worker"
)

// patience bounds each wait of a test.
const patience = 30 * time.Second

func TestCommandRefusesBadUsage(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown flag":    {[]string{"worker", "--slot", "3"}, "unknown flag"},
		"a bad value":        {[]string{"worker", "--slots", "0"}, "worker.slots"},
		"an unknown profile": {[]string{"worker", "--profile", "loose"}, "profile"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			code := worker.Command(t.Context(), tc.args, nil, io.Discard, &stderr, greetings)
			if code != 2 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("Command(%q) = %d, %q, want 2 and words about %s", tc.args, code, stderr.String(), tc.want)
			}
		})
	}
}

func TestCommandPrintsItsConfig(t *testing.T) {
	var stdout bytes.Buffer
	code := worker.Command(t.Context(), []string{"worker", "--print-config", "--slots", "7"}, nil, &stdout, io.Discard)
	if code != 0 || !strings.Contains(stdout.String(), "slots: 7") {
		t.Errorf("--print-config = %d\n%s\nwant 0 and the settings in effect", code, stdout.String())
	}
}

// lines receives the printed lines.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestCommandServesAToolOfItsOwn runs a custom worker as its own main would,
// and calls its tool as a program that knows only the contract would.
func TestCommandServesAToolOfItsOwn(t *testing.T) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	ctx, stop := context.WithCancel(t.Context())
	printed, code := make(lines, 8), make(chan int, 1)
	go func() {
		args := []string{"helve-worker", "--nats", srv.URL(), "--data", t.TempDir(), "--pools", "default"}
		code <- worker.Command(ctx, args, nil, printed, io.Discard, greetings)
	}()
	ready := receive(t, printed)
	if !strings.HasPrefix(ready, "ready worker=w-") || !strings.Contains(ready, " pools=default http=http://127.0.0.1:") {
		t.Errorf("the worker printed %q, want its ready line", ready)
	}
	_, url, _ := strings.Cut(strings.TrimSpace(ready), "http=")
	if got := status(t, url+"/readyz"); got != http.StatusOK {
		t.Errorf("/readyz = %d, want 200", got)
	}

	dispatch(t, srv.URL())
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	reply, err := nc.Request("helve.v1.default.api.execute", []byte(`{"calls":[{"tool":"greet","arguments":{"name":"Ada"}}]}`), patience)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Results []struct{ Status, Result string }
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil || len(answer.Results) != 1 || answer.Results[0].Result != "Hello, Ada!" {
		t.Errorf("greet answered %s, %v, want Hello, Ada!", reply.Data, err)
	}

	stop()
	select {
	case got := <-code:
		if got != 0 {
			t.Errorf("the worker exited %d after its drain, want 0", got)
		}
	case <-time.After(patience):
		t.Fatal("the worker did not drain")
	}
}

// dispatch runs a dispatcher until the test ends.
func dispatch(t *testing.T, url string) {
	t.Helper()
	cfg := config.Default()
	cfg.NATS.URL, cfg.HTTP.Addr, cfg.Data = url, "127.0.0.1:0", t.TempDir()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan string, 1), make(chan error, 1)
	go func() { down <- dispatcher.Run(ctx, cfg, kit, func(url string) { up <- url }, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			t.Errorf("the dispatcher ended with %v", err)
		}
		kit.Close(context.Background())
	})
	receive(t, up)
}

func receive(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case s := <-from:
		return s
	case <-time.After(patience):
		t.Fatal("nothing came")
		return ""
	}
}

func status(t *testing.T, url string) int {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}
