package alerttest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/toolbox/upstream/upstreamtest"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

func TestMain(m *testing.M) {
	worker.Child(parts.All()...)
	upstreamtest.Child()
	os.Exit(m.Run())
}

// system is a NATS server, a dispatcher and workers, which share the metrics of one process.
type system struct {
	t    *testing.T
	cfg  config.Config
	kit  *telemetry.Kit
	url  string
	nats *embedded.Server
}

// launch starts a system with one worker.
func launch(t *testing.T, change func(*config.Config)) *system {
	t.Helper()
	s := prepare(t, change)
	if s.cfg.NATS.URL == "" {
		s.serve("127.0.0.1:0")
	}
	s.run()
	s.work()
	return s
}

func prepare(t *testing.T, change func(*config.Config)) *system {
	t.Helper()
	s := &system{t: t, cfg: config.Default()}
	s.cfg.Data, s.cfg.HTTP.Addr, s.cfg.Diagnostics, s.cfg.NATS.URL = t.TempDir(), "127.0.0.1:0", true, ""
	s.cfg.HTTP.Linger, s.cfg.Docker.Host = 0, "unix:///nonexistent/docker.sock"
	if change != nil {
		change(&s.cfg)
	}
	var err error
	if s.kit, err = telemetry.NewKit(t.Context(), telemetry.KitFromConfig(s.cfg, "alerttest"), io.Discard); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kit.Close(context.Background()) })
	return s
}

// serve starts the NATS server.
func (s *system) serve(addr string) {
	s.t.Helper()
	srv, err := embedded.Start(embedded.Options{Addr: addr, Dir: filepath.Join(s.cfg.Data, "nats"), MaxStore: 1 << 40})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(srv.Stop)
	s.nats, s.cfg.NATS.URL = srv, srv.URL()
}

// run starts the dispatcher and returns a function that drains it.
func (s *system) run() (drain func()) {
	s.t.Helper()
	s.url, drain = s.spawn(func(ctx context.Context, ready func(string)) error {
		return dispatcher.Run(ctx, s.cfg, s.kit, ready, nil)
	})
	return drain
}

// work starts a worker and returns a function that drains it.
func (s *system) work() (drain func()) {
	s.t.Helper()
	_, drain = s.spawn(func(ctx context.Context, ready func(string)) error {
		return worker.Program{Sets: tools.Builtin(), Parts: parts.All()}.Embed(ctx, s.cfg, s.kit, ready)
	})
	return drain
}

func (s *system) spawn(run func(ctx context.Context, ready func(string)) error) (said string, drain func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- run(ctx, func(said string) { ready <- said }) }()
	ended := false
	drain = func() {
		if cancel(); !ended {
			ended = true
			<-done
		}
	}
	s.t.Cleanup(drain)
	select {
	case said := <-ready:
		return said, drain
	case err := <-done:
		ended = true
		s.t.Fatalf("ended before it was ready: %v", err)
		return "", nil
	}
}

// post sends a request and returns the answer.
func (s *system) post(path, body string) string {
	s.t.Helper()
	res, err := http.Post(s.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(answer)
}

// calls sends n calls of a tool without waiting for them and returns their ids.
func (s *system) calls(n int, tool, arguments string) (ids []string) {
	s.t.Helper()
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"tool": %q, "arguments": %s}`, tool, arguments)
	}
	answer := s.post("/v1/execute", fmt.Sprintf(`{"context": {"user": "u"}, "wait_ms": 0, "calls": [%s]}`, strings.Join(list, ",")))
	var told struct {
		Results []struct {
			CallID string `json:"call_id"`
		} `json:"results"`
	}
	if err := json.Unmarshal([]byte(answer), &told); err != nil {
		s.t.Fatalf("%v: %s", err, answer)
	}
	for _, r := range told.Results {
		ids = append(ids, r.CallID)
	}
	return ids
}

func (s *system) cancel(ids ...string) {
	s.t.Helper()
	for _, id := range ids {
		s.post("/v1/calls/"+id+"/cancel", "")
	}
}
