package alerttest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	_ "modernc.org/sqlite"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/natsio"
)

// TestSealLag: another process holds the lease for sealing and does not seal.
func TestSealLag(t *testing.T) {
	s := prepare(t, nil)
	s.serve("127.0.0.1:0")
	s.run()
	other, err := natsio.Connect(natsio.Options{URL: s.nats.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	p := start(t, s.url)
	p.until("HelveSealLag", false)
	ctx, release := context.WithCancel(t.Context())
	done := make(chan struct{})
	p.proves("HelveSealLag", func() {
		leases, err := other.JetStream().KeyValue(t.Context(), natsio.BucketLeases)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(done)
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				_, _ = leases.Put(ctx, "sealer", []byte("stuck groups"))
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		}()
	}, func() { release(); <-done })
}

// stream returns a stream and a function that changes it.
func (s *system) stream(name string) (jetstream.Stream, func(change func(*jetstream.StreamConfig))) {
	s.t.Helper()
	nc, err := nats.Connect(s.nats.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	stream, err := js.Stream(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return stream, func(change func(*jetstream.StreamConfig)) {
		cfg := stream.CachedInfo().Config
		change(&cfg)
		if _, err := js.UpdateStream(s.t.Context(), cfg); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestAuditRefused: the trail is full, and then may hold more.
func TestAuditRefused(t *testing.T) {
	s := launch(t, func(c *config.Config) { c.Audit.MaxBytes = 64 << 10 })
	_, change := s.stream("HELVE_AUDIT")
	start(t, s.url).proves("HelveAuditRefused", func() {}, func() {
		change(func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 30 })
	}, func() { s.calls(50, "debug.echo", `{"value": 1}`) })
}

// TestJetStreamFull: a stream comes near its bound.
func TestJetStreamFull(t *testing.T) {
	s := launch(t, func(c *config.Config) { c.Audit.MaxBytes = 64 << 10 })
	_, change := s.stream("HELVE_AUDIT")
	start(t, s.url).proves("HelveJetStreamFull", func() {}, func() {
		change(func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 30 })
	}, func() { s.calls(50, "debug.echo", `{"value": 1}`) })
}

// TestDiskFull: the streams of the account come near the bound of its disk, with NATS as
// deploy/compose configures it.
func TestDiskFull(t *testing.T) {
	const disk, message = 320 << 20, 1 << 20
	url := composed(t, disk)
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "FOREIGN", Subjects: []string{"foreign"}})
	if err != nil {
		t.Fatal(err)
	}
	s := launch(t, func(c *config.Config) {
		c.NATS.URL, c.Audit.MaxBytes = url, 8<<20
		c.Streams.CallsMaxBytes, c.Streams.ResultsMaxBytes, c.Streams.OnceMaxBytes = 8<<20, 8<<20, 8<<20
	})
	start(t, s.url).proves("HelveJetStreamFull", func() {
		for range disk * 85 / 100 / message {
			if _, err := js.Publish(t.Context(), "foreign", make([]byte, message)); err != nil {
				t.Fatal(err)
			}
		}
	}, func() {
		if err := foreign.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// composed starts the NATS server of deploy/compose with a smaller disk, and returns its URL.
func composed(t *testing.T, disk int) string {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/compose/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	small := strings.NewReplacer("30GB", strconv.Itoa(disk), "/data", t.TempDir()).Replace(string(text))
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return listen(t, opts)
}

// listen starts a NATS server on loopback and returns its URL.
func listen(t *testing.T, opts *server.Options) string {
	t.Helper()
	opts.Host, opts.Port, opts.HTTPPort, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, 0, true, true
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	return srv.ClientURL()
}

// TestAuditIndexBehind: another program holds the lock of the index's database.
func TestAuditIndexBehind(t *testing.T) {
	s := launch(t, func(c *config.Config) { c.Quota.User, c.Quota.Tenant = 1<<20, 1<<20 })
	db, err := sql.Open("sqlite", filepath.Join(s.cfg.Data, "store", "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var conn *sql.Conn
	nc, err := nats.Connect(s.nats.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	start(t, s.url).proves("HelveAuditIndexBehind", func() {
		if conn, err = db.Conn(t.Context()); err == nil {
			_, err = conn.ExecContext(t.Context(), "PRAGMA busy_timeout=60000; BEGIN EXCLUSIVE")
		}
		for range 10_100 { // records of a tenant of their own, which nobody can read
			if err == nil {
				err = nc.Publish("helve.v1.noise.audit.test", []byte(`{"phase":"test","tenant":"noise"}`))
			}
		}
		if err == nil {
			err = nc.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}, func() {
		if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
}
