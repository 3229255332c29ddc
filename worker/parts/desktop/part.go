// Package desktop is the part of a worker that gives tools with [tool.NeedDesktop] the
// desktop session of the person at its machine.
package desktop

import (
	"fmt"
	"strings"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/desktop"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part. A worker with it starts where there is no desktop.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.Desktop, Ports: tool.NeedDesktop, Open: open}
}

type ports struct{ desktop *desktop.Desktop }

func open(cfg config.Config, _ *workspace.Workspaces) (toolbox.Ports, error) {
	apps := map[string][]string{}
	for _, entry := range cfg.Desktop.Apps {
		name, command, _ := strings.Cut(entry, "=")
		apps[strings.TrimSpace(name)] = strings.Fields(command)
	}
	session, err := desktop.New(desktop.Options{Apps: apps, Tenant: cfg.Desktop.Tenant, User: cfg.Desktop.User})
	if err != nil {
		return nil, fmt.Errorf("desktop: %w", err)
	}
	return ports{session}, nil
}

// Fill implements [toolbox.Ports].
func (p ports) Fill(call *tool.Call, within []tool.Scopes) (err error) {
	call.Desktop, err = p.desktop.For(call.Tenant, call.User, within...)
	return err
}

// Close implements [toolbox.Ports].
func (ports) Close() {}
