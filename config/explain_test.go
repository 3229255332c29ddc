package config_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/helve-dev/helve/config"
)

// TestExplain: an address that is taken, and a directory that cannot be made, are named with the
// flag and the setting that change them; other errors stay as they are.
func TestExplain(t *testing.T) {
	t.Parallel()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	_, busy := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unmade := os.MkdirAll(filepath.Join(file, "data", "nats"), 0o700)
	other := errors.New("something else")
	for _, tt := range []struct {
		role config.Role
		set  func(*config.Config)
		err  error
		want string
	}{
		{config.Up, func(c *config.Config) { c.HTTP.Addr = addr }, busy, "--http (http.addr)"},
		{config.Up, func(c *config.Config) { c.Up.NATSAddr = addr }, busy, "--nats (up.nats_addr)"},
		{config.Dispatcher, func(c *config.Config) { c.HTTP.AdminAddr = addr }, busy, "--admin (http.admin_addr)"},
		{
			config.Worker, func(c *config.Config) { c.Worker.HTTPAddr = "localhost" + addr[strings.LastIndex(addr, ":"):] }, busy,
			"--http (worker.http_addr)",
		},
		{config.Worker, func(c *config.Config) { c.Data = filepath.Join(file, "data") }, unmade, "--data (data)"},
		{config.Worker, func(c *config.Config) { c.Data = t.TempDir() }, unmade, ""},
		{config.Up, func(*config.Config) {}, other, ""},
		{config.Up, func(*config.Config) {}, nil, ""},
	} {
		cfg := config.Default()
		tt.set(&cfg)
		cause := tt.err
		if cause != nil {
			cause = fmt.Errorf("it failed: %w", cause)
		}
		got := cfg.Explain(tt.role, cause)
		if !errors.Is(got, tt.err) || tt.want == "" && got != cause || tt.want != "" && !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%v of role %d is explained as %v, want %q", tt.err, tt.role, got, tt.want)
		}
	}
}
