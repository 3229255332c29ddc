// Package desktop implements [tool.Desktop] for the desktop of the person on whose
// machine the worker runs: clipboard, notifications, applications and the browser.
//
// # What it promises
//
// It uses the session in which the worker was started; without a session its errors
// name what is missing. Programs are found on the PATH only, get only the session's
// variables from the worker's environment, and never its standard streams. Every
// operation ends with its context. Applications opened for the person are in a session
// of their own: they stay when the worker ends, and are reaped if they end first. Only
// applications on the operator's list are opened, exactly as listed.
//
// # What it does not promise
//
// The person's settings decide whether the desktop shows a notification, and Helve does
// not learn of it. A service manager that kills everything a worker ever started
// (systemd does so to services) also closes opened applications; run a desktop's worker
// in the session.
package desktop

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/policy/scope"
	"github.com/helve-dev/helve/tool"
)

// Options configures a Desktop.
type Options struct {
	// Apps maps the names of applications that may be opened to programs with their
	// first arguments. Without a command the name is the program's or, on macOS, the
	// application's.
	Apps map[string][]string
	// Tenant and User are the owner of the desktop: calls of others are refused. If
	// they are empty, all calls are served, for a machine of one person.
	Tenant, User string
	// Env is the environment of the session; the worker's own if nil.
	Env []string
}

// Desktop is the desktop of one person. It is safe for concurrent use.
type Desktop struct {
	options Options
	system  string
	env     []string          // what programs get
	session map[string]string // the same, to look up
}

// New returns a Desktop. The error is for the operator.
func New(o Options) (*Desktop, error) { return newOn(runtime.GOOS, o) }

func newOn(system string, o Options) (*Desktop, error) {
	for name, command := range o.Apps {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name+strings.Join(command, ""), "\x00\n") ||
			len(command) > 0 && command[0] == "" {
			return nil, fmt.Errorf("desktop: the application %q needs a name and a program", name)
		}
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	d := &Desktop{options: o, system: system, session: map[string]string{}}
	for _, entry := range o.Env {
		name, value, _ := strings.Cut(entry, "=")
		if ofSession(name) && value != "" {
			d.env = append(d.env, entry)
			d.session[name] = value
		}
	}
	return d, nil
}

// ofSession reports whether a variable belongs to the session; a worker may have others
// in its environment, such as credentials.
func ofSession(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PATH", "LANG", "LANGUAGE", "SHELL", "TMPDIR", "TZ", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "BROWSER",
		"DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "SESSION_MANAGER", "ICEAUTHORITY":
		return true
	}
	return slices.ContainsFunc([]string{"LC_", "XDG_", "GNOME_", "KDE_", "GTK_", "QT_", "MOZ_"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// For returns the desktop for the calls of a user, within the scopes.
func (d *Desktop) For(tenant, user string, within ...tool.Scopes) (tool.Desktop, error) {
	if d.options.Tenant != "" && d.options.Tenant != tenant || d.options.User != "" && d.options.User != user {
		return nil, tool.Fail(tool.PermissionDenied, "Access denied: this desktop belongs to somebody else")
	}
	return &bound{d, within}, nil
}

// bound is the desktop within the scopes of a call.
type bound struct {
	*Desktop

	within []tool.Scopes
}

// graphical fails if there is no display.
func (d *Desktop) graphical() error {
	if d.system == "darwin" || d.session["DISPLAY"] != "" || d.session["WAYLAND_DISPLAY"] != "" {
		return nil
	}
	return tool.Fail(tool.NotConfigured, "There is no desktop here (neither DISPLAY nor WAYLAND_DISPLAY is set): "+
		"start a worker in the person's graphical session with 'worker --pools desktop'")
}

// mayOpen returns the command of an application. It refuses an application that the
// call or the operator does not allow.
func (b *bound) mayOpen(app string) ([]string, error) {
	if err := scope.App(app, b.within...); err != nil {
		return nil, err
	}
	command, listed := b.options.Apps[app]
	switch {
	case listed:
		return command, nil
	case len(b.options.Apps) == 0:
		return nil, tool.Fail(tool.NotConfigured,
			"No application may be opened yet: the operator lists those that may in desktop.apps (desktop.apps: [%[1]s])", app)
	}
	var names []string
	for name := range b.options.Apps {
		if scope.App(name, b.within...) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return nil, tool.Fail(tool.PermissionDenied, "Access denied: this application is not among those that may be opened: %s",
		strings.Join(names, ", "))
}
