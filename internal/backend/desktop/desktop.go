// Package desktop reaches the desktop of the person on whose machine the worker runs,
// as [tool.Desktop]: clipboard, notifications, applications and the browser.
//
// # What it promises
//
// It works in the session that the worker was started in and says what is missing
// where there is none. Programs are found on the PATH only, get the variables of the
// session and nothing else of the worker's environment, and never its standard
// streams. Every operation ends with its context. What is opened for the person is in
// a session of its own: it stays when the worker ends, and is reaped when it ends
// first. Only applications on the operator's list are opened, as it spells them.
//
// # What it does not promise
//
// The desktop shows a notification or not, as the person has set it, and tells nobody.
// A service manager that kills everything a worker ever started (systemd does so to
// services) closes what was opened, too; run a desktop's worker in the session.
package desktop

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/scope"
	"github.com/helve-dev/helve/tool"
)

// Options are what the port stands on.
type Options struct {
	// Apps are the applications that may be opened: the name a model says, and the
	// program with its first arguments. Without arguments at all the name is the
	// program's, or on macOS the application's.
	Apps map[string][]string
	// Tenant and User are whose desktop it is: calls of others are refused. Empty
	// ones are anybody, for a machine that serves one person.
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

// New returns the port's backend. The error is for the operator.
func New(o Options) (*Desktop, error) { return newOn(runtime.GOOS, o) }

func newOn(system string, o Options) (*Desktop, error) {
	for name, command := range o.Apps {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name+strings.Join(command, ""), "\x00\n") || len(command) > 0 && command[0] == "" {
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

// ofSession tells the variables that make a session from what else a worker may have
// in its environment, such as credentials.
func ofSession(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PATH", "LANG", "LANGUAGE", "SHELL", "TMPDIR", "TZ", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "BROWSER",
		"DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "SESSION_MANAGER", "ICEAUTHORITY":
		return true
	}
	return slices.ContainsFunc([]string{"LC_", "XDG_", "GNOME_", "KDE_", "GTK_", "QT_", "MOZ_"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// For returns the desktop for the calls of a user, within the scopes.
func (d *Desktop) For(tenant, user string, within ...tool.Scopes) (tool.Desktop, error) {
	if d.options.Tenant != "" && d.options.Tenant != tenant || d.options.User != "" && d.options.User != user {
		return nil, tool.Fail(tool.PermissionDenied, "Access denied: this desktop belongs to somebody else")
	}
	return &bound{d, within}, nil
}

// bound is the desktop within what a call may reach.
type bound struct {
	*Desktop

	within []tool.Scopes
}

// graphical fails where there is no display to show something on.
func (d *Desktop) graphical() error {
	if d.system == "darwin" || d.session["DISPLAY"] != "" || d.session["WAYLAND_DISPLAY"] != "" {
		return nil
	}
	return tool.Fail(tool.NotConfigured, "There is no desktop here (neither DISPLAY nor WAYLAND_DISPLAY is set): start a worker of the pool desktop in the person's graphical session")
}

// mayOpen refuses an application that the call or the operator does not allow, and
// returns its command.
func (b *bound) mayOpen(app string) ([]string, error) {
	if err := scope.App(app, b.within...); err != nil {
		return nil, err
	}
	command, listed := b.options.Apps[app]
	switch {
	case listed:
		return command, nil
	case len(b.options.Apps) == 0:
		return nil, tool.Fail(tool.NotConfigured, "No application may be opened yet: the operator must list those that may")
	}
	var names []string
	for name := range b.options.Apps {
		if scope.App(name, b.within...) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return nil, tool.Fail(tool.PermissionDenied, "Access denied: this application is not among those that may be opened: %s", strings.Join(names, ", "))
}
