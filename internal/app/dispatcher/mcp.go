package dispatcher

import (
	"context"
	"net/http"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/dispatch"
	"github.com/helve-dev/helve/internal/fleet/catalog"
	"github.com/helve-dev/helve/internal/identity/keysync"
	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/mcp"
	"github.com/helve-dev/helve/internal/server/mcpapi"
	"github.com/helve-dev/helve/internal/telemetry"
	"github.com/helve-dev/helve/internal/x/version"
)

// openMCP creates the server for MCP clients.
func openMCP(
	life context.Context, cfg config.Config, kit *telemetry.Kit, q *queue.Queue, svc *api.Service, cat api.Catalog,
) (http.Handler, error) {
	keys, err := signingKeys(cfg, keysync.Token)
	if err != nil {
		return nil, err
	}
	ring := &token.Keyring{}
	if err := keysync.Follow(life, q, keysync.Token, ring, kit.Log, append(keys.Old, keys.Public())...); err != nil {
		return nil, err
	}
	listed := ""
	if cfg.MCP.Tools == config.MCPDiscovery {
		listed = catalog.SetSearch
	}
	server := mcp.New(&mcpapi.Platform{Service: svc, Catalog: cat, Kit: kit}, mcp.Options{
		Version: version.String(), Listed: listed, ConsoleURL: cfg.MCP.ConsoleURL,
		State: token.Notes{Signer: token.NewSigner(keys.Signing), Ring: ring, Purpose: mcp.StatePurpose}, NewID: dispatch.NewID,
		Wait: cfg.Dispatcher.MaxWait, TaskAfter: cfg.MCP.TaskAfter,
		TaskTTL: cfg.Streams.ResultsMaxAge,
	})
	return server.Handler(int64(cfg.HTTP.MaxBody)), nil
}
