package bus_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
)

// monitored starts a server with monitoring and returns where it is.
func monitored(t *testing.T, syncAlways bool) (url, monitor string) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, HTTPHost: "127.0.0.1", HTTPPort: -1,
		JetStream: true, StoreDir: t.TempDir(), SyncAlways: syncAlways, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(bustest.Patience) {
		t.Fatal("the server does not start")
	}
	return srv.ClientURL(), "http://" + srv.MonitorAddr().String()
}

func TestPowerIsVerifiedAtTheServer(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{true, false} {
		url, monitor := monitored(t, always)
		for _, address := range []string{monitor, monitor + "/"} {
			if err := bus.CheckPower(bustest.Context(t), address); (err == nil) != always {
				t.Errorf("CheckPower with sync_always %v = %v", always, err)
			}
		}
		b, err := bus.Connect(bus.Options{URL: url, Profile: bus.ProfilePower, MonitorURL: monitor})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := b.Prepare(bustest.Context(t)); err != nil {
			t.Fatal(err)
		}
		err = b.Check(bustest.Context(t))
		if (err == nil) != always {
			t.Errorf("Check with sync_always %v = %v", always, err)
		}
		if err != nil && !strings.Contains(err.Error(), "sync_interval: always") {
			t.Errorf("Check = %q, want a sentence that says what to set", err)
		}
	}
}

func TestWhatCannotBeVerifiedIsNotPower(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	for name, address := range map[string]string{
		"no address":     "",
		"not a URL":      "http://[::1",
		"not HTTP":       strings.Replace(srv.URL(), "nats", "http", 1),
		"nobody":         "http://127.0.0.1:1",
		"another scheme": "ftp://127.0.0.1",
	} {
		if err := bus.CheckPower(bustest.Context(t), address); err == nil || !strings.Contains(err.Error(), "profile power") {
			t.Errorf("%s: CheckPower = %v, want an error that names the profile", name, err)
		}
	}
	known := bustest.Connect(t, srv, func(o *bus.Options) { o.Profile, o.SyncAlways = bus.ProfilePower, true })
	if err := known.Check(bustest.Context(t)); err != nil {
		t.Errorf("Check of a server known to sync always = %v", err)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Open(t, srv)
	bustest.Until(t, "connected", b.Connected)
	check := func(want string) {
		t.Helper()
		if err := b.Check(bustest.Context(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want an error with %q", err, want)
		}
	}
	check("not set up")
	if err := b.Prepare(bustest.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := b.Check(bustest.Context(t)); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	if err := b.JetStream().DeleteStream(bustest.Context(t), bus.StreamCalls); err != nil {
		t.Fatal(err)
	}
	check(bus.StreamCalls)
	srv.Stop()
	bustest.Until(t, "disconnected", func() bool { return !b.Connected() })
	check("not connected to " + srv.URL())
}
