// Package containers is the part of a worker that runs code in containers of a Docker
// engine, for tools with [tool.NeedContainers].
package containers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/ports/docker"
	"github.com/helve-dev/helve/internal/ports/workspace"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/tool"
)

// Part returns the part. A worker with it starts where there is no engine.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.Containers, Ports: tool.NeedContainers, Open: open}
}

type ports struct {
	docker *docker.Docker
	files  *workspace.Workspaces
}

func open(cfg config.Config, files *workspace.Workspaces) (toolbox.Ports, error) {
	d, images := cfg.Docker, map[string]string{}
	for _, entry := range d.Images {
		language, image, _ := strings.Cut(entry, "=") // validation has seen them
		images[language] = image
	}
	engine, err := docker.New(docker.Options{
		Host: d.Host, Images: images, Pull: d.Pull, Network: d.Network, Parallel: d.Parallel, Dir: files.Dir,
	})
	if err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	return ports{engine, files}, nil
}

// Fill implements [toolbox.Ports].
func (p ports) Fill(call *tool.Call, within []tool.Scopes) error {
	port, err := p.docker.For(call.Tenant, call.User, within...)
	if err == nil {
		call.Containers = p.files.Containers(port, call.Tenant, call.User, within...)
	}
	return err
}

// removeTime bounds how long the end of a worker waits for containers to be removed.
const removeTime = 10 * time.Second

// Close implements [toolbox.Ports].
func (p ports) Close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.docker.Close()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done(): // the next worker sweeps
	}
}
