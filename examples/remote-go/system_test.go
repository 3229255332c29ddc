package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

const patience = time.Minute

// helve is NATS, a dispatcher and a worker; it is stopped with the test.
func helve(t *testing.T) (url string, c *client.Client) {
	t.Helper()
	testtime.Slow(t, "it runs a whole system")
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	cfg := config.Default()
	cfg.NATS.URL, cfg.HTTP.Addr, cfg.Data = srv.URL(), "127.0.0.1:0", t.TempDir()
	kit, err := telemetry.NewKit(t.Context(), telemetry.KitFromConfig(cfg, "test"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kit.Close(context.Background()) })
	serve(t, func(ctx context.Context, ready func(string)) error {
		return worker.Program{Sets: tools.Builtin(), Parts: parts.All()}.Embed(ctx, cfg, kit, ready)
	})
	serve(t, func(ctx context.Context, ready func(string)) error { return dispatcher.Run(ctx, cfg, kit, ready, nil) })
	if c, err = client.New(srv.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return srv.URL(), c
}

// serve runs a part of it until the test ends.
func serve(t *testing.T, run func(ctx context.Context, ready func(string)) error) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	up, down := make(chan struct{}), make(chan error, 1)
	go func() { down <- run(ctx, func(string) { close(up) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-down; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	select {
	case <-up:
	case <-time.After(patience):
		t.Fatal("it is not ready")
	}
}

// child starts a program and returns when it has printed that it is ready. At the end of
// the test it is told to stop, and must end well.
func child(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	giveUp.Stop()
	if err != nil || !strings.HasPrefix(line, "ready ") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("the program printed %q, %v\n%s", line, err, said.String())
	}
	t.Cleanup(func() {
		giveUp := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer giveUp.Stop()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program ended with %v\n%s", err, said.String())
		}
	})
}

// wantCall calls a tool and holds its result, as JSON, to want.
func wantCall(t *testing.T, c *client.Client, name, args, want string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	res, err := c.Call(ctx, name, json.RawMessage(args))
	if err != nil || string(res.Value) != want {
		t.Errorf("%s %s = %s, %v, want %s", name, args, res.Value, err, want)
	}
}
