package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/test/testtime"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestFullDeviceHeals fills the device of a server until a write fails. The server
// reports why, and takes messages again once there is room, without having lost any.
func TestFullDeviceHeals(t *testing.T) {
	testtime.Slow(t, "it fills a device")
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("this test needs a device of its own: %v", err)
		}
		t.Skipf("NOT TESTED: a full device. It needs root, to mount one: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	srv, err := Start(Options{Addr: "127.0.0.1:0", Dir: filepath.Join(dir, "nats")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Stop)
	js := durable(t, srv)
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	for size := 1 << 20; size > 0; {
		if _, err := filler.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	stored := 0
	for ; stored < 10_000; stored++ {
		if _, err := js.Publish(t.Context(), "s", make([]byte, 4096)); err != nil {
			break
		}
	}
	if err := srv.Check(); err == nil || !strings.Contains(err.Error(), "no space on the device") {
		t.Fatalf("on a full device that took %d messages, Check = %v", stored, err)
	}
	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	if err := filler.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server is well", func() bool { return srv.Check() == nil })
	wantStored(t, js, stored)
}

// TestFailedWriteRestartsTheServer, on its address and with its messages.
func TestFailedWriteRestartsTheServer(t *testing.T) {
	srv := begin(t, Options{Addr: "127.0.0.1:0", Dir: t.TempDir()})
	js := durable(t, srv)
	for range 5 {
		if _, err := js.Publish(t.Context(), "s", []byte("one")); err != nil {
			t.Fatal(err)
		}
	}
	srv.mu.Lock()
	before := srv.srv
	srv.mu.Unlock()
	restarted := func() bool {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		return srv.srv != before && !srv.failed
	}
	srv.lines.Errorf("Filestore [%s] Critical write error: %v", "S", errors.New("broken"))
	if err := srv.Check(); err == nil && !restarted() {
		t.Error("Check has no error after a failed write")
	}
	eventually(t, "another server", restarted)
	wantStored(t, js, 5)
}

func durable(t *testing.T, srv *Server) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(srv.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err != nil {
		t.Fatal(err)
	}
	return js
}

// wantStored wants that the stream takes messages again, and has those it acknowledged.
func wantStored(t *testing.T, js jetstream.JetStream, acknowledged int) {
	t.Helper()
	eventually(t, "a message is stored again", func() bool {
		_, err := js.Publish(t.Context(), "s", []byte("again"))
		return err == nil
	})
	s, err := js.Stream(t.Context(), "S")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n < uint64(acknowledged)+1 {
		t.Errorf("the stream has %d messages, want %d that were acknowledged and one more", n, acknowledged)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(testtime.Patience()); !done(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
