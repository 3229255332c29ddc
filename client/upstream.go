package client

import (
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/tool"
)

// Upstream is a tool of an MCP server: which definition of it may be offered, and which
// waits for an operator.
type Upstream struct {
	Tool   string `json:"tool"`
	Server string `json:"server"`
	// Name is what the server calls it.
	Name string `json:"upstream"`
	// State is accepted, changed (since it was accepted) or new (never accepted). While it
	// is not accepted the tool is withheld.
	State string `json:"state"`
	// Accepted is the hash that was accepted last, By whom, and when.
	Accepted string    `json:"accepted,omitzero"`
	By       string    `json:"by,omitzero"`
	At       time.Time `json:"at,omitzero"`
	// Seen is the hash that waits, Worker who saw it, and when.
	Seen   string    `json:"seen,omitzero"`
	Worker string    `json:"worker,omitzero"`
	SeenAt time.Time `json:"seen_at,omitzero"`
	// Definition and SeenDefinition are what the hashes are of; [Client.Upstreams] leaves
	// them out.
	Definition     jsontext.Value `json:"definition,omitzero"`
	SeenDefinition jsontext.Value `json:"seen_definition,omitzero"`
}

// Upstreams returns the tools of MCP servers that were ever seen, by name.
func (c *Client) Upstreams(ctx context.Context) ([]Upstream, error) {
	return c.upstreams(ctx, nil)
}

// Upstream returns one of them; a name that no server has had is a [*RequestError] of
// type [NotFound].
func (c *Client) Upstream(ctx context.Context, name string) (Upstream, error) {
	all, err := c.upstreams(ctx, map[string]string{"name": name})
	if err != nil || len(all) == 0 {
		return Upstream{}, err
	}
	return all[0], nil
}

func (c *Client) upstreams(ctx context.Context, params map[string]string) ([]Upstream, error) {
	var told struct {
		Tools []Upstream `json:"tools"`
	}
	body, err := c.ask(ctx, list("upstream.list", "/v1/upstream", params))
	if err != nil {
		return nil, err
	}
	return told.Tools, decode(body, &told)
}

// AcceptUpstream lets the definition with that hash be offered. Where another one waits
// by now it is a [*RequestError] of type [Conflict].
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
