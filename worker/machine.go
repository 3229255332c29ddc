package worker

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/backend/desktop"
	"github.com/helve-dev/helve/internal/backend/docker"
	"github.com/helve-dev/helve/internal/backend/programs"
	"github.com/helve-dev/helve/internal/backend/workspace"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// machine is what tools have of the machine that the worker runs on.
type machine struct {
	programs   *programs.Programs
	containers *docker.Docker
	desktop    *desktop.Desktop
}

// openMachine makes the ports. None of them looks at the machine before it is used:
// a worker starts where there is no Docker and no desktop.
func openMachine(cfg config.Config, files *workspace.Workspaces) (machine, error) {
	p := cfg.Programs
	m := machine{programs: programs.New(programs.Options{
		Dir: files.Dir, Path: p.Path, Readable: p.Readable, Unconfined: p.Unconfined,
	})}
	images := map[string]string{}
	for _, entry := range cfg.Docker.Images {
		language, image, _ := strings.Cut(entry, "=") // validation has seen them
		images[language] = image
	}
	var err error
	d := cfg.Docker
	if m.containers, err = docker.New(docker.Options{
		Host: d.Host, Images: images, Pull: d.Pull, Network: d.Network, Parallel: d.Parallel, Dir: files.Dir,
	}); err != nil {
		return machine{}, fmt.Errorf("docker: %w", err)
	}
	apps := map[string][]string{}
	for _, entry := range cfg.Desktop.Apps {
		name, command, _ := strings.Cut(entry, "=")
		apps[strings.TrimSpace(name)] = strings.Fields(command)
	}
	if m.desktop, err = desktop.New(desktop.Options{Apps: apps, Tenant: cfg.Desktop.Tenant, User: cfg.Desktop.User}); err != nil {
		return machine{}, fmt.Errorf("desktop: %w", err)
	}
	return m, nil
}

// removeTime bounds how long the end of a worker waits for containers to be removed.
const removeTime = 10 * time.Second

func (m machine) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.containers.Close()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done(): // the next worker sweeps
	}
}

// fill gives a call what of the machine its tool asked for, within the scopes.
func (m machine) fill(j *engine.Job, needs tool.Needs, within []tool.Scopes) (err error) {
	if needs.Has(tool.NeedPrograms) {
		if j.Programs, err = m.programs.For(j.Tenant, j.User, within...); err != nil {
			return err
		}
	}
	if needs.Has(tool.NeedContainers) {
		if j.Containers, err = m.containers.For(j.Tenant, j.User, within...); err != nil {
			return err
		}
	}
	if needs.Has(tool.NeedDesktop) {
		j.Desktop, err = m.desktop.For(j.Tenant, j.User, within...)
	}
	return err
}
