package e2e

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	for i := range shared.urls {
		for path, want := range map[string]string{"/healthz": `"status":"live"`, "/readyz": `"status":"ready"`} {
			if r := shared.http(i).send(t, "GET", path, "", nil); r.status != 200 || !strings.Contains(string(r.body), want) {
				t.Errorf("%s = %d %s, want 200 with %s", path, r.status, r.body, want)
			}
		}
	}
}

// TestPowerProfile: a dispatcher that promises to survive a power cut is ready
// only where that is proven.
func TestPowerProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		sync, proven bool // what the server does, and whether it can be asked
		known        bool // the caller runs the server and says so
		want         int
		reason       string
	}{
		{name: "not proven", sync: true, want: 503, reason: "nats.monitor_url"},
		{name: "refuted", proven: true, want: 503, reason: "sync_interval: always"},
		{name: "proven", sync: true, proven: true, want: 200, reason: `"durability":"power"`},
		{name: "known", sync: true, known: true, want: 200, reason: `"durability":"power"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := plainServer(t, func(o *server.Options) {
				o.SyncAlways = tt.sync
				o.HTTPHost, o.HTTPPort = "127.0.0.1", server.RANDOM_PORT
			})
			s := launch(t, plan{
				url: srv.ClientURL(),
				config: func(c *config.Config) {
					c.Durability.Profile = bus.ProfilePower
					if tt.proven {
						c.NATS.MonitorURL = "http://" + srv.MonitorAddr().String()
					}
				},
				options: func(o *bus.Options) { o.SyncAlways = tt.known },
			})
			// The worker's own check has nobody to vouch for it here.
			r := s.http(0).send(t, "GET", "/readyz", "", nil)
			if tt.known {
				if !strings.Contains(string(r.body), `"ok"`) {
					t.Errorf("/readyz = %s, want the dispatcher's check ok", r.body)
				}
				return
			}
			if r.status != tt.want || !strings.Contains(string(r.body), tt.reason) {
				t.Errorf("/readyz = %d %s, want %d with %s", r.status, r.body, tt.want, tt.reason)
			}
		})
	}
}

// TestNotReadyWithoutNATS: what cannot be done is said at once, and the process
// stays alive.
func TestNotReadyWithoutNATS(t *testing.T) {
	t.Parallel()
	srv := plainServer(t, nil)
	s := launch(t, plan{url: srv.ClientURL()})
	d := s.http(0)
	if r := d.send(t, "GET", "/readyz", "", nil); r.status != 200 {
		t.Fatalf("/readyz = %d %s, want 200", r.status, r.body)
	}
	srv.Shutdown()
	srv.WaitForShutdown()
	eventually(t, "/readyz is 503", func() bool { return d.send(t, "GET", "/readyz", "", nil).status == 503 })
	if r := d.send(t, "GET", "/healthz", "", nil); r.status != 200 {
		t.Errorf("/healthz without NATS = %d, want 200: a restart would not help", r.status)
	}
	r := d.ask(t, "default", "execute", nil, `{"calls": [`+echo("1")+`]}`)
	wantProblem(t, "execute without NATS", r, 503, "unavailable")
	if r.header.Get("Retry-After") == "" {
		t.Errorf("503 without Retry-After: %v", r.header)
	}
}
