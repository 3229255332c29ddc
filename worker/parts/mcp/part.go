// Package mcp is the part of a worker that offers the tools of MCP servers (--mcp).
package mcp

import (
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/toolbox/mcp"
)

// Part returns the part.
func Part() toolbox.Part { return mcp.Part() }
