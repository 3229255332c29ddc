// Package mcp is the part of a worker that offers the tools of MCP servers.
//
// It promises that a worker whose configuration names no servers starts nothing, and
// that servers which are down or slow do not keep a worker from starting.
package mcp

import (
	"context"

	"github.com/helve-dev/helve/internal/ports/programs"
	_ "github.com/helve-dev/helve/internal/ports/programs/launch/autoexec" // see its package comment
	"github.com/helve-dev/helve/internal/toolbox"
)

// Part returns the part. Servers that are programs run confined, so it brings the
// launcher of programs too.
func Part() toolbox.Part {
	return toolbox.Part{Name: toolbox.MCP, Child: programs.Child, Attach: attach}
}

func attach(_ context.Context, host toolbox.Host) (toolbox.Attached, error) {
	if host.Config.MCPFile == "" {
		return toolbox.Attached{}, nil
	}
	s, err := openServers(host)
	if err != nil {
		return toolbox.Attached{}, err
	}
	return toolbox.Attached{Refuses: s.refuses, Follow: s.follow, Close: s.close}, nil
}
