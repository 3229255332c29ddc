package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func names(role Role) []string {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Flags(fs, role)
	var all []string
	fs.VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	slices.Sort(all)
	return all
}

func TestFlagNames(t *testing.T) {
	for role, want := range map[Role]string{
		Up: "admin allow-host allow-origin config consent-ttl data diagnostics group http log-level mcp nats openapi pprof " +
			"print-config profile rate-limit secrets-key services slots tool-env tools workers",
		Dispatcher: "admin allow-origin config consent-ttl creds data diagnostics group http log-level nats nats-context pprof print-config " +
			"profile secrets-key",
		Worker: "admin allow-host config consent-ttl creds data diagnostics group http log-level mcp nats nats-context openapi pools pprof " +
			"print-config " +
			"profile rate-limit secrets-key services slots tool-env tools",
	} {
		if got := strings.Join(names(role), " "); got != want {
			t.Errorf("Flags(%d) registers\n%s, want\n%s", role, got, want)
		}
	}
}

func TestFlagDefaults(t *testing.T) {
	for role, wants := range map[Role]map[string]string{
		Up:         {"data": "./data", "http": "127.0.0.1:8080", "nats": "127.0.0.1:4222", "workers": "1", "slots": "256", "profile": "standard"},
		Dispatcher: {"http": "127.0.0.1:8080", "nats": "nats://127.0.0.1:4222", "consent-ttl": "10m0s", "log-level": "info"},
		Worker:     {"http": "127.0.0.1:0", "nats": "nats://127.0.0.1:4222", "pools": "[default]", "tools": "[]", "pprof": "false"},
	} {
		fs := parsed(t, role)
		for name, want := range wants {
			if got := fs.Lookup(name).DefValue; got != want {
				t.Errorf("role %d: --%s defaults to %q, want %q", role, name, got, want)
			}
		}
		if got, err := Load(Source{Flags: fs}); err != nil || !cmp.Equal(got, Default()) {
			t.Errorf("role %d: Load without flags = %v, %v, want Default()", role, got, err)
		}
	}
}

func TestFlagsSetTheirKeys(t *testing.T) {
	for _, tt := range []struct {
		role Role
		args []string
		set  func(*Config)
	}{
		{Up, []string{"--http", ":0", "--nats", "127.0.0.1:0", "--workers=3", "--data", "d"}, func(c *Config) {
			c.HTTP.Addr, c.Up.NATSAddr, c.Up.Workers, c.Data = ":0", "127.0.0.1:0", 3, "d"
		}},
		{Up,
			[]string{
				"--allow-host", "10.0.0.0/8", "--allow-host", "h:80", "--tools", "a", "--tools", "b", "--diagnostics", "--tool-env", "t.KEY=a,b=c",
				"--services", "s.yaml", "--mcp", "m.json", "--openapi", "o.yaml",
			},
			func(c *Config) {
				c.AllowHosts, c.ToolsDirs, c.Diagnostics = []string{"10.0.0.0/8", "h:80"}, []string{"a", "b"}, true
				c.ToolEnv, c.ServicesFile, c.MCPFile, c.OpenAPIFile = []string{"t.KEY=a,b=c"}, "s.yaml", "m.json", "o.yaml"
			}},
		{Dispatcher, []string{"--nats", "nats://h:1", "--creds", "c", "--pprof", "--log-level", "warn"}, func(c *Config) {
			c.NATS.URL, c.NATS.Creds, c.Telemetry.Pprof, c.Log.Level = "nats://h:1", "c", true, "warn"
		}},
		{Worker, []string{"--http", ":1", "--nats-context", "n", "--pools", "a,b", "--slots", "9", "--consent-ttl", "90s", "--profile", "auto"},
			func(c *Config) {
				c.Worker.HTTPAddr, c.NATS.Context, c.Worker.Pools, c.Worker.Slots = ":1", "n", []string{"a", "b"}, 9
				c.Consent.TTL, c.Profile = 90*time.Second, "auto"
			}},
	} {
		want := Default()
		tt.set(&want)
		got, err := Load(Source{Flags: parsed(t, tt.role, tt.args...)})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Load(%q) = %v, differs (-want +got):\n%s", tt.args, err, diff)
		}
	}
}

func TestFlagSetToItsDefaultStillWins(t *testing.T) {
	got, err := Load(Source{Env: []string{"HELVE_WORKER_SLOTS=2"}, Flags: parsed(t, Worker, "--slots", "256")})
	if err != nil || got.Worker.Slots != 256 {
		t.Errorf("Load(--slots 256).Worker.Slots = %d, %v, want 256", got.Worker.Slots, err)
	}
}

func TestForeignFlagsAreLeftAlone(t *testing.T) {
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	Flags(fs, Worker)
	fs.Bool("extra", false, "")
	if err := fs.Parse([]string{"--extra"}); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(Source{Flags: fs}); err != nil || !cmp.Equal(got, Default()) {
		t.Errorf("Load with a foreign flag = %v, %v, want Default()", got, err)
	}
}
