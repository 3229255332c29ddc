package desktop

import (
	"context"
	"errors"
	"html"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/helve-dev/helve/tool"
)

const (
	notifyName = "org.freedesktop.Notifications"
	notifyPath = "/org/freedesktop/Notifications"
)

var urgencies = map[string]byte{"": 1, "low": 0, "normal": 1, "critical": 2}

// Notify implements [tool.Desktop].
func (b *bound) Notify(ctx context.Context, n tool.Notification) error {
	urgency, known := urgencies[n.Urgency]
	if !known {
		return tool.Fail(tool.ValidationError, "The urgency must be low, normal or critical.")
	}
	if b.system == "darwin" {
		return b.notifyByScript(ctx, n)
	}
	address := b.bus()
	if address == "" {
		return tool.Fail(tool.NotConfigured, "There is no desktop session here to notify (no D-Bus session bus): "+
			"start a worker in the person's graphical session with 'worker --pools desktop'")
	}
	conn, err := dbus.Connect(address, dbus.WithContext(ctx))
	if err != nil {
		return busFailed(ctx, err)
	}
	defer conn.Close()
	service := conn.Object(notifyName, notifyPath)
	var abilities []string
	if err := service.CallWithContext(ctx, notifyName+".GetCapabilities", 0).Store(&abilities); err != nil {
		return busFailed(ctx, err)
	}
	body := n.Body
	if slices.Contains(abilities, "body-markup") { // otherwise a text could contain links and pictures
		body = html.EscapeString(body)
	}
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(urgency)}
	sent := service.CallWithContext(ctx, notifyName+".Notify", 0, "Helve", uint32(0), "", n.Title, body, []string{}, hints, int32(-1))
	return busFailed(ctx, sent.Err)
}

// bus returns the address of the session's bus. It never starts a new bus, which would
// have no clients.
func (d *Desktop) bus() string {
	if address := d.session["DBUS_SESSION_BUS_ADDRESS"]; address != "" {
		return address
	}
	if dir := d.session["XDG_RUNTIME_DIR"]; dir != "" {
		return "unix:path=" + dir + "/bus"
	}
	return ""
}

func busFailed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	refused, answered := errors.AsType[dbus.Error](err)
	switch {
	case answered &&
		(strings.HasSuffix(refused.Name, ".ServiceUnknown") || strings.HasSuffix(refused.Name, ".NameHasNoOwner") ||
			strings.Contains(refused.Name, ".Spawn.")):
		return tool.Fail(tool.NotConfigured, "Nothing shows notifications on this desktop: install a notification service ('apt-get install "+
			"dunst' has one), or turn the desktop's own on").Because(err)
	case answered:
		return tool.Fail(tool.ExecutionError, "The desktop refused the notification; try a shorter or simpler one").Because(err)
	}
	return tool.Fail(tool.NotConfigured, "The desktop session cannot be reached (its D-Bus does not answer): "+
		"start the worker in the person's graphical session, with 'worker --pools desktop'").Because(err)
}

// script shows a notification on macOS; the texts are arguments, not parts of the
// script.
const script = `on run argv
display notification (item 2 of argv) with title (item 1 of argv)
end run`

func (b *bound) notifyByScript(ctx context.Context, n tool.Notification) error {
	file, ok := b.find("osascript")
	if !ok {
		return tool.Fail(tool.NotConfigured,
			"Nothing shows notifications on this machine: the program osascript of macOS is not in PATH; add its directory (PATH=/usr/bin:$PATH)")
	}
	if err := finish(ctx, b.command(file, "-e", script, "--", n.Title, n.Body)); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return tool.Fail(tool.ExecutionError, "The desktop refused the notification; see that it allows them").Because(err)
	}
	return nil
}
