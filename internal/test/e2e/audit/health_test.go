package audit

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	for i := range shared.URLs {
		for path, want := range map[string]string{"/healthz": `"status":"live"`, "/readyz": `"status":"ready"`} {
			if r := shared.HTTP(i).Send(t, "GET", path, "", nil); r.Status != 200 || !strings.Contains(string(r.Body), want) {
				t.Errorf("%s = %d %s, want 200 with %s", path, r.Status, r.Body, want)
			}
		}
	}
}

// TestPowerProfile: a dispatcher that promises to survive a power cut is ready only if that
// is proven.
func TestPowerProfile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		sync, proven bool // the server's setting, and whether it can be read
		known        bool // the operator of the server declares it
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
			srv := system.PlainServer(t, func(o *server.Options) {
				o.SyncAlways = tt.sync
				o.HTTPHost, o.HTTPPort = "127.0.0.1", server.RANDOM_PORT
			})
			s := system.Launch(t, system.Plan{
				URL: srv.ClientURL(),
				Config: func(c *config.Config) {
					c.Durability.Profile = streams.ProfilePower
					if tt.proven {
						c.NATS.MonitorURL = "http://" + srv.MonitorAddr().String()
					}
				},
				Options: func(o *queue.Options) { o.SyncAlways = tt.known },
			})
			// The worker's own check cannot be proven here.
			r := s.HTTP(0).Send(t, "GET", "/readyz", "", nil)
			if tt.known {
				if !strings.Contains(string(r.Body), `"ok"`) {
					t.Errorf("/readyz = %s, want the dispatcher's check ok", r.Body)
				}
				return
			}
			if r.Status != tt.want || !strings.Contains(string(r.Body), tt.reason) {
				t.Errorf("/readyz = %d %s, want %d with %s", r.Status, r.Body, tt.want, tt.reason)
			}
		})
	}
}

// TestNotReadyWithoutNATS: requests fail immediately, and the process continues to run.
func TestNotReadyWithoutNATS(t *testing.T) {
	t.Parallel()
	srv := system.PlainServer(t, nil)
	s := system.Launch(t, system.Plan{URL: srv.ClientURL()})
	d := s.HTTP(0)
	if r := d.Send(t, "GET", "/readyz", "", nil); r.Status != 200 {
		t.Fatalf("/readyz = %d %s, want 200", r.Status, r.Body)
	}
	srv.Shutdown()
	srv.WaitForShutdown()
	system.Eventually(t, "/readyz is 503", func() bool { return d.Send(t, "GET", "/readyz", "", nil).Status == 503 })
	if r := d.Send(t, "GET", "/healthz", "", nil); r.Status != 200 {
		t.Errorf("/healthz without NATS = %d, want 200: a restart would not help", r.Status)
	}
	r := d.Ask(t, "default", "execute", nil, `{"calls": [`+system.EchoCall("1")+`]}`)
	system.WantProblem(t, "execute without NATS", r, 503, "unavailable")
	if r.Header.Get("Retry-After") == "" {
		t.Errorf("503 without Retry-After: %v", r.Header)
	}
}
