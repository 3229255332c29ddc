package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/app/dispatcher"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/helve-dev/helve/internal/tools"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/worker"
	"github.com/helve-dev/helve/worker/parts"
)

const patience = time.Minute

// helve is the running Helve whose workers all front ends of these tests share.
var helve struct{ url, data string }

func TestMain(m *testing.M) {
	worker.Child(parts.All()...)
	os.Exit(func() int {
		if testtime.SlowPackage("it runs a whole system and a browser") {
			return m.Run()
		}
		dir, err := os.MkdirTemp("", "chat")
		if err == nil {
			defer os.RemoveAll(dir)
			var stop func() error
			stop, err = startHelve(dir)
			if err == nil {
				code := chromium.Tests(m).Run()
				err = errors.Join(stop(), goleak.Find(goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")))
				if err == nil {
					return code
				}
			}
		}
		fmt.Fprintln(os.Stderr, err)
		return 1
	}())
}

// startHelve starts NATS, a worker and a dispatcher.
func startHelve(dir string) (stop func() error, err error) {
	srv, err := embedded.Start(embedded.Options{Addr: "127.0.0.1:0", Dir: filepath.Join(dir, "nats")})
	if err != nil {
		return nil, err
	}
	cfg := config.Default()
	cfg.NATS.URL, cfg.HTTP.Addr, cfg.Data, cfg.Diagnostics = srv.URL(), "127.0.0.1:0", dir, true
	helve.data = dir
	kit, err := telemetry.NewKit(context.Background(), telemetry.KitFromConfig(cfg, "test"), io.Discard)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	parts := []func(ready func(string)) error{
		func(ready func(string)) error {
			return worker.Program{Sets: append(tools.Builtin(), demo()), Parts: parts.All()}.Embed(ctx, cfg, kit, ready)
		},
		func(ready func(string)) error { return dispatcher.Run(ctx, cfg, kit, ready, nil) },
	}
	ended := make(chan error, len(parts))
	stop = func() error {
		cancel()
		var errs []error
		for range parts {
			errs = append(errs, <-ended)
		}
		kit.Close(context.Background())
		srv.Stop()
		return errors.Join(errs...)
	}
	for _, part := range parts {
		ready := make(chan string, 1)
		go func() { ended <- part(func(said string) { ready <- said }) }()
		select {
		case helve.url = <-ready: // the dispatcher is the last
		case err := <-ended:
			ended <- err
			return nil, err
		case <-time.After(patience):
			return nil, errors.New("helve is not ready")
		}
	}
	return stop, nil
}

// hostile is text on which a page or a terminal would act if it were not escaped.
const hostile = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>\x1b]0;taken\x07"

type nothing struct{}

// demo has a tool that reports hostile texts while it runs and when it is done, and a
// tool that runs until it is cancelled.
func demo() *tool.Set {
	set := tool.NewSet("Demo", "demo")
	tool.Add(set, tool.Spec[nothing, string]{
		Name: "demo_steps", Description: "Take three steps.", Risk: tool.Low, Mutates: false, Timeout: time.Minute,
		Run: func(_ context.Context, call *tool.Call, _ nothing) (string, error) {
			for i := range 3 {
				call.Progress(map[string]any{"step": i + 1, "says": hostile})
			}
			return "stepped " + hostile, nil
		},
	})
	tool.Add(set, tool.Spec[nothing, string]{
		Name: "demo_hold", Description: "Run until somebody cancels it.", Risk: tool.Low, Mutates: false, Timeout: 5 * time.Minute,
		Run: func(ctx context.Context, call *tool.Call, _ nothing) (string, error) {
			call.Progress("holding")
			<-ctx.Done()
			return "", ctx.Err()
		},
	})
	return set
}

var people atomic.Int64

// person is somebody of that name whom no test has met.
func person(name string) string { return fmt.Sprintf("%s-%d", name, people.Add(1)) }

// ledger returns the keys of a person's debug.guarded calls.
func ledger(t *testing.T, user string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(helve.data, "workspaces", "default", user, "ledger.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var keys []string
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, " ")
		keys = append(keys, key)
	}
	return keys
}

// eventually waits until ok, and fails with what it waited for.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("in vain: %s", what)
		}
	}
}
