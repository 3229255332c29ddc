package embedded

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func begin(t *testing.T, opts Options) *Server {
	t.Helper()
	srv, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	return srv
}

func connect(t *testing.T, srv *Server) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc, err := nats.Connect(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// TestRestartKeepsMessages, on the same address and directory.
func TestRestartKeepsMessages(t *testing.T) {
	for _, always := range []bool{false, true} {
		dir := t.TempDir()
		first := begin(t, Options{Addr: "127.0.0.1:0", Dir: dir, SyncAlways: always})
		nc, js := connect(t, first)
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"one", "two"} {
			if _, err := js.Publish(t.Context(), "s", []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		nc.Close()
		first.Stop()

		second := begin(t, Options{Addr: strings.TrimPrefix(first.URL(), "nats://"), Dir: dir, SyncAlways: always})
		if second.URL() != first.URL() {
			t.Errorf("URL after the restart = %s, want %s", second.URL(), first.URL())
		}
		_, js = connect(t, second)
		s, err := js.Stream(t.Context(), "S")
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"one", "two"} {
			m, err := s.GetMsg(t.Context(), uint64(i+1))
			if err != nil || string(m.Data) != want {
				t.Errorf("message %d after the restart = %v, %v, want %s", i+1, m, err, want)
			}
		}
	}
}

func TestServerTakesRequestBodies(t *testing.T) {
	nc, _ := connect(t, begin(t, Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), Name: "mine"}))
	if nc.MaxPayload() != MaxPayload || nc.ConnectedServerName() != "mine" {
		t.Errorf("server %q takes %d bytes, want mine and %d", nc.ConnectedServerName(), nc.MaxPayload(), MaxPayload)
	}
}

func TestStartSaysWhyNot(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		opts Options
		want string
	}{
		"address in use":       {Options{Addr: taken.Addr().String()}, "address already in use"},
		"no port":              {Options{Addr: "127.0.0.1"}, "missing port"},
		"port is a word":       {Options{Addr: "127.0.0.1:nats"}, "port is not a number"},
		"port out of range":    {Options{Addr: "127.0.0.1:99999"}, "99999"},
		"directory is a file":  {Options{Addr: "127.0.0.1:0", Dir: file}, file},
		"directory below one":  {Options{Addr: "127.0.0.1:0", Dir: filepath.Join(file, "x")}, file},
		"address of elsewhere": {Options{Addr: "192.0.2.1:4222"}, "192.0.2.1"},
	} {
		if tt.opts.Dir == "" {
			tt.opts.Dir = t.TempDir()
		}
		srv, err := Start(tt.opts)
		if err == nil {
			srv.Stop()
			t.Errorf("%s: Start succeeded, want an error", name)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Start = %q, want it to say %q", name, err, tt.want)
		}
	}
}

// TestASecondServerDoesNotTouchTheFirst: its files are not opened when the
// address shows that somebody is there.
func TestASecondServerDoesNotTouchTheFirst(t *testing.T) {
	first := begin(t, Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := Start(Options{Addr: strings.TrimPrefix(first.URL(), "nats://"), Dir: dir}); err == nil {
		t.Error("a second server started on the same address")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the second server made %s (%v), want it to stop before", dir, err)
	}
}

func TestStopTwice(t *testing.T) {
	srv := begin(t, Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	srv.Stop()
	srv.Stop()
	if nc, err := nats.Connect(srv.URL(), nats.Timeout(time.Second)); err == nil {
		nc.Close()
		t.Error("a stopped server still takes connections")
	}
}

func TestTwoServersDoNotShareADirectory(t *testing.T) {
	dir := t.TempDir()
	first, err := Start(Options{Addr: "127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Start(Options{Addr: "127.0.0.1:0", Dir: dir})
	if err == nil {
		second.Stop()
		t.Error("a second server started on the first one's directory")
	} else if !strings.Contains(err.Error(), "another server") {
		t.Errorf("Start = %v, want an error that says who has the directory", err)
	}
	first.Stop()
	third, err := Start(Options{Addr: "127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatalf("Start after the first one stopped = %v, want nil", err)
	}
	third.Stop()
}
