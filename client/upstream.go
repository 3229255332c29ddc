package client

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Upstream is a tool of an MCP server. [Client.Upstreams] leaves out Definition and
// SeenDefinition.
type Upstream = protocol.UpstreamTool

// Upstreams returns all known tools of MCP servers, sorted by name.
func (c *Client) Upstreams(ctx context.Context) ([]Upstream, error) {
	return c.upstreams(ctx, nil)
}

// Upstream returns a tool of an MCP server. An unknown name is a [*RequestError] of
// type [NotFound].
func (c *Client) Upstream(ctx context.Context, name string) (Upstream, error) {
	all, err := c.upstreams(ctx, map[string]string{"name": name})
	if err != nil || len(all) == 0 {
		return Upstream{}, err
	}
	return all[0], nil
}

func (c *Client) upstreams(ctx context.Context, params map[string]string) ([]Upstream, error) {
	var told protocol.UpstreamList
	body, err := c.ask(ctx, list("upstream.list", "/v1/upstream", params))
	if err != nil {
		return nil, err
	}
	return told.Tools, decode(body, &told)
}

// AcceptUpstream accepts the definition with that hash. If another definition is
// pending by now, the error is a [*RequestError] of type [Conflict].
func (c *Client) AcceptUpstream(ctx context.Context, name, hash string) (Upstream, error) {
	if !tool.ValidName(name) {
		return Upstream{}, misused("%.80q is not the name of a tool", name)
	}
	body, err := json.Marshal(map[string]string{"name": name, "hash": hash}, json.Deterministic(true))
	if err != nil {
		return Upstream{}, misused("the request cannot be encoded as JSON: %v", err)
	}
	got, err := c.ask(ctx, operation{
		name: "upstream.accept", method: http.MethodPost, path: "/v1/upstream/" + name + "/accept", body: body,
	})
	if err != nil {
		return Upstream{}, err
	}
	var u Upstream
	return u, decode(got, &u)
}
