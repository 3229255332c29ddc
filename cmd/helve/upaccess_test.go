package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/synadia-io/orbit.go/natscontext"

	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/test/testtime"
)

// runUp starts `helve up` and returns where its NATS server listens, with a function
// that ends it and returns what it has logged.
func runUp(t *testing.T, args ...string) (url string, stop func() string) {
	t.Helper()
	testtime.Slow(t, "it runs helve up")
	ctx, cancel := context.WithCancel(t.Context())
	printed, code := make(lines, 8), make(chan int, 1)
	var log bytes.Buffer
	args = append([]string{"up", "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--log-level", "warn"}, args...)
	go func() { code <- cli.Run(ctx, args, strings.NewReader(""), printed, &log, upCommand(nil)) }()
	stop = func() string {
		cancel()
		select {
		case got := <-code:
			if got != 0 {
				t.Errorf("up exited %d, want 0", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("up did not drain")
		}
		return log.String()
	}
	select {
	case line := <-printed:
		return strings.TrimPrefix(strings.Fields(line)[2], "nats="), stop
	case got := <-code:
		t.Fatalf("up exited %d: %s", got, log.String())
	case <-time.After(time.Minute):
		t.Fatal("up is not ready")
	}
	return "", nil
}

func cliCall(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = cli.Run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

const noAuthentication = "no authentication configured: every process on this machine may do everything"

// TestUpWithAuthentication: the embedded NATS server asks for a credential, which the
// commands on this machine find in the data directory, also after a restart.
func TestUpWithAuthentication(t *testing.T) {
	data, keys := t.TempDir(), filepath.Join(t.TempDir(), "keys.yaml")
	code, out, errs := authKey(t, "--role", "agent")
	_, entry, found := strings.Cut(out, "Add to auth.keys_file:\n\n")
	if code != 0 || !found {
		t.Fatalf("auth key = %d, %q, %q", code, out, errs)
	}
	if err := os.WriteFile(keys, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "helve.yaml")
	if err := os.WriteFile(settings, []byte("auth:\n  keys_file: "+keys+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HELVE_DATA", data)
	for range 2 {
		url, stop := runUp(t, "--data", data, "--config", settings)
		if nc, err := nats.Connect(url); !errors.Is(err, nats.ErrAuthorization) {
			nc.Close()
			t.Errorf("connecting without a credential = %v, want it refused", err)
		}
		if code, out, errs := cliCall(t, "call", "get_current_time", "timezone=Europe/Paris", "--server", url); code != 0 {
			t.Errorf("helve call = %d, %q, %q, want the time", code, out, errs)
		}
		nc, _, err := natscontext.Connect(filepath.Join(data, cli.LocalNATS, "contexts", "local.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range []string{
			"helve.v1.default.verdict.x.c", "helve.v1.default.result.default.d.c", "$JS.API.STREAM.LIST", "$KV.helve_keys.token.x",
		} {
			if err := errors.Join(nc.Publish(subject, nil), nc.Flush()); err != nil || !errors.Is(nc.LastError(), nats.ErrPermissionViolation) ||
				!strings.Contains(nc.LastError().Error(), subject) {
				t.Errorf("a client may publish to %s: %v", subject, nc.LastError())
			}
		}
		nc.Close()
		t.Setenv("HELVE_DATA", t.TempDir())
		if code, _, errs := cliCall(t, "tools", "--server", url); code == 0 {
			t.Errorf("helve tools without the data directory = %d, %q, want it refused", code, errs)
		}
		t.Setenv("HELVE_DATA", data)
		if log := stop(); strings.Contains(log, noAuthentication) || strings.Contains(strings.ToLower(log), "permissions violation") {
			t.Errorf("up logged:\n%s", log)
		}
	}
	err := filepath.WalkDir(filepath.Join(data, cli.LocalNATS), func(path string, d fs.DirEntry, err error) error {
		if info, wrong := d.Info(); err == nil && wrong == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestUpWithoutAuthentication: the log explains the consequence in one constant line.
func TestUpWithoutAuthentication(t *testing.T) {
	url, stop := runUp(t, "--data", t.TempDir())
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if log := stop(); strings.Count(log, noAuthentication) != 1 {
		t.Errorf("up logged %q, want one line that says that everybody may do everything", log)
	}
}
