package workspace

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// Programs returns p with runs that respect the limits of a workspace: a run that may
// write is refused while the workspace is full, and ended soon after the workspace
// becomes full. Runs that cannot write to it are not affected.
func (w *Workspaces) Programs(p tool.Programs, tenant, user string, within ...tool.Scopes) tool.Programs {
	return &programs{p, writer{w, tenant, user, within}}
}

// Containers is Programs for containers with a workspace.
func (w *Workspaces) Containers(c tool.Containers, tenant, user string, within ...tool.Scopes) tool.Containers {
	return &containers{c, writer{w, tenant, user, within}}
}

type programs struct {
	tool.Programs

	writer writer
}

// Run implements [tool.Programs].
func (p *programs) Run(ctx context.Context, program tool.Program) (ran tool.Ran, err error) {
	if program.ReadOnly || program.Apart || program.Install != "" {
		return p.Programs.Run(ctx, program)
	}
	err = p.writer.watch(ctx, func(ctx context.Context) (err error) {
		ran, err = p.Programs.Run(ctx, program)
		return err
	})
	return ran, err
}

type containers struct {
	tool.Containers

	writer writer
}

// Run implements [tool.Containers].
func (c *containers) Run(ctx context.Context, container tool.Container) (ran tool.Contained, err error) {
	if !container.Workspace || container.ReadOnly {
		return c.Containers.Run(ctx, container)
	}
	err = c.writer.watch(ctx, func(ctx context.Context) (err error) {
		ran, err = c.Containers.Run(ctx, container)
		return err
	})
	return ran, err
}

// writer is something other than [tool.Files] that writes to a workspace.
type writer struct {
	spaces       *Workspaces
	tenant, user string
	within       []tool.Scopes
}

// look is the shortest interval of counts while a program writes to a workspace.
const look = 2 * time.Second

// watch calls do, unless the workspace is full, and cancels its context when the
// workspace has become full.
func (w writer) watch(ctx context.Context, do func(ctx context.Context) error) error {
	if l := w.spaces.limits; l.MaxBytes == 0 && l.MaxFiles == 0 {
		defer w.spaces.Stale(w.tenant, w.user)
		return do(ctx)
	}
	if err := w.room(); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer w.spaces.Stale(w.tenant, w.user)
	over := make(chan struct{})
	defer close(over)
	go func() {
		ticks := time.NewTicker(look)
		defer ticks.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticks.C:
				if err := w.outgrown(); err != nil {
					end(err)
					return
				}
			}
		}
	}()
	return do(ctx)
}

func (w writer) room() error { return w.spaces.Room(w.tenant, w.user, w.within...) }

// outgrown counts the workspace, unless that takes too large a share of the time.
func (w writer) outgrown() error {
	f, err := w.spaces.folder(w.tenant, w.user, w.within...)
	if err != nil {
		return nil //nolint:nilerr // it was there when the program began
	}
	f.usage.mu.Lock()
	f.usage.refresh(10 * f.usage.took)
	f.usage.mu.Unlock()
	return w.room()
}
