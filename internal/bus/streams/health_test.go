package streams_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// monitored starts a server with monitoring and returns its addresses.
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
	if !srv.ReadyForConnections(queuetest.Patience) {
		t.Fatal("the server does not start")
	}
	return srv.ClientURL(), "http://" + srv.MonitorAddr().String()
}

func TestPowerIsVerifiedAtTheServer(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{true, false} {
		url, monitor := monitored(t, always)
		for _, address := range []string{monitor, monitor + "/"} {
			if err := streams.CheckPower(queuetest.Context(t), address); (err == nil) != always {
				t.Errorf("CheckPower with sync_always %v = %v", always, err)
			}
		}
		q, err := queue.Connect(queue.Options{Options: streams.Options{Options: natsio.Options{URL: url}, Profile: streams.ProfilePower, MonitorURL: monitor}})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		if err := q.Prepare(queuetest.Context(t)); err != nil {
			t.Fatal(err)
		}
		err = q.Check(queuetest.Context(t))
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
	srv := queuetest.Server(t)
	for name, address := range map[string]string{
		"no address":     "",
		"not a URL":      "http://[::1",
		"not HTTP":       strings.Replace(srv.URL(), "nats", "http", 1),
		"nobody":         "http://127.0.0.1:1",
		"another scheme": "ftp://127.0.0.1",
	} {
		if err := streams.CheckPower(queuetest.Context(t), address); err == nil || !strings.Contains(err.Error(), "profile power") {
			t.Errorf("%s: CheckPower = %v, want an error that names the profile", name, err)
		}
	}
	known := queuetest.Connect(t, srv, func(o *queue.Options) { o.Profile, o.SyncAlways = streams.ProfilePower, true })
	if err := known.Check(queuetest.Context(t)); err != nil {
		t.Errorf("Check of a server known to sync always = %v", err)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Open(t, srv)
	queuetest.Until(t, "connected", q.Conn.Connected)
	check := func(want string) {
		t.Helper()
		if err := q.Check(queuetest.Context(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want an error with %q", err, want)
		}
	}
	check("not set up")
	if err := q.Prepare(queuetest.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := q.Check(queuetest.Context(t)); err != nil {
		t.Errorf("Check = %v, want nil", err)
	}
	if err := q.Conn.JetStream().DeleteStream(queuetest.Context(t), streams.Calls); err != nil {
		t.Fatal(err)
	}
	check(streams.Calls)
	srv.Stop()
	queuetest.Until(t, "disconnected", func() bool { return !q.Conn.Connected() })
	check("not connected to " + srv.URL())
}

// TestStallIsNoConnection: while JetStream does not answer, the process does not count as
// connected, and its next answer counts as a new connection.
func TestStallIsNoConnection(t *testing.T) {
	t.Parallel()
	q := queuetest.Connect(t, queuetest.Server(t))
	before := q.Conn.ConnectedSince()
	if before.IsZero() {
		t.Fatal("a queue that was prepared is not connected")
	}
	q.Stall(time.Minute)
	if since := q.Conn.ConnectedSince(); !since.IsZero() && !since.After(before) {
		t.Errorf("connected since %v during a stall, want not at all", since)
	}
	q.LookForRoom()
	if since := q.Conn.ConnectedSince(); !since.After(before) {
		t.Errorf("connected since %v after a stall, want since its end, after %v", since, before)
	}
}
