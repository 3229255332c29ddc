package desktop

import (
	"bufio"
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

// bus starts a message bus and returns its address.
func bus(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(need(t, "dbus-daemon", "dbus"), "--session", "--nofork", "--print-address=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// shown is a notification as a desktop gets it.
type shown struct {
	App, Title, Body string
	Urgency          byte
	Expire           int32
}

// daemon shows notifications.
type daemon struct {
	abilities []string
	refuse    atomic.Bool
	shown     chan shown
}

// GetCapabilities is a method of the service.
func (d *daemon) GetCapabilities() ([]string, *dbus.Error) { return d.abilities, nil }

// Notify is a method of the service.
func (d *daemon) Notify(
	app string, _ uint32, _, title, body string, _ []string, hints map[string]dbus.Variant, expire int32,
) (uint32, *dbus.Error) {
	if d.refuse.Load() {
		return 0, dbus.NewError("org.freedesktop.Notifications.Error", []any{"too many"})
	}
	urgency, _ := hints["urgency"].Value().(byte)
	d.shown <- shown{app, title, body, urgency, expire}
	return 1, nil
}

func (d *daemon) serve(t *testing.T, address string) {
	t.Helper()
	d.shown = make(chan shown, 8)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Export(d, notifyPath, notifyName); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(notifyName, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the name of the service: %v, %v", reply, err)
	}
}

func TestNotify(t *testing.T) {
	for _, tt := range []struct {
		abilities []string
		body      string
	}{
		{[]string{"body", "body-markup"}, "5 &lt; 6 &amp; &lt;a href=&#34;x&#34;&gt;"},
		{[]string{"body"}, `5 < 6 & <a href="x">`},
	} {
		address, service := bus(t), &daemon{abilities: tt.abilities}
		service.serve(t, address)
		desk := of(t, Options{Env: []string{"DBUS_SESSION_BUS_ADDRESS=" + address}})
		for urgency, number := range map[string]byte{"": 1, "low": 0, "normal": 1, "critical": 2} {
			if err := desk.Notify(t.Context(), tool.Notification{Title: "Ünï <b>", Body: `5 < 6 & <a href="x">`, Urgency: urgency}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(shown{"Helve", "Ünï <b>", tt.body, number, -1}, <-service.shown); diff != "" {
				t.Errorf("the desktop was shown (-want +got):\n%s", diff)
			}
		}
		wantKind(t, desk.Notify(t.Context(), tool.Notification{Title: "x", Urgency: "extreme"}), tool.ValidationError, "urgency")
		service.refuse.Store(true)
		wantKind(t, desk.Notify(t.Context(), tool.Notification{Title: "x"}), tool.ExecutionError, "refused the notification")
	}
}

func TestNotifyWithoutService(t *testing.T) {
	desk := of(t, Options{Env: []string{"DBUS_SESSION_BUS_ADDRESS=" + bus(t)}})
	wantKind(t, desk.Notify(t.Context(), tool.Notification{Title: "x"}), tool.NotConfigured, "Nothing shows notifications")
	for _, env := range []string{
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/no/such/bus", "DBUS_SESSION_BUS_ADDRESS=nonsense", "XDG_RUNTIME_DIR=" + t.TempDir(),
	} {
		desk := of(t, Options{Env: []string{env}})
		wantKind(t, desk.Notify(t.Context(), tool.Notification{Title: "x"}), tool.NotConfigured, "cannot be reached")
	}
}

// The bus of the session is found where desktops put it.
func TestBusInRuntimeDirectory(t *testing.T) {
	address := bus(t)
	service := &daemon{}
	service.serve(t, address)
	path, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
	if path == address {
		t.Skipf("SKIPPED: the bus is at %s, not a path; use a dbus-daemon that listens on one", address)
	}
	dir := t.TempDir()
	// A bus is a socket named bus; a relay leads there.
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Skipf("SKIPPED: %v; set TMPDIR to a shorter path", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go relay(listener, path)
	desk := of(t, Options{Env: []string{"XDG_RUNTIME_DIR=" + dir}})
	if err := desk.Notify(t.Context(), tool.Notification{Title: "x"}); err != nil {
		t.Errorf("Notify: %v", err)
	}
}

func TestBusHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Skipf("SKIPPED: %v; set TMPDIR to a shorter path", err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // it never answers
	desk := of(t, Options{Env: []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + path}})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	wantKind(t, desk.Notify(ctx, tool.Notification{Title: "x"}), tool.Timeout, "")
}
