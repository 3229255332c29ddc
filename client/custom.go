package client

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// CustomTool is a tool that a model wrote for a person. [Client.CustomTools] leaves out
// Parameters and Code.
type CustomTool = protocol.CustomTool

// CustomTools returns the custom tools of a person, or with an empty name all that the
// caller may see.
func (c *Client) CustomTools(ctx context.Context, owner string) ([]CustomTool, error) {
	var told protocol.CustomToolList
	body, err := c.ask(ctx, list("custom.list", "/v1/custom-tools", given(map[string]string{"owner": owner})))
	if err != nil {
		return nil, err
	}
	return told.Tools, decode(body, &told)
}

// CustomTool returns a custom tool with its code. The owner may be empty if only one
// person has a tool of that name.
func (c *Client) CustomTool(ctx context.Context, name, owner string) (CustomTool, error) {
	return c.custom(ctx, "get", http.MethodGet, name, "", given(map[string]string{"owner": owner}), nil)
}

// CustomToolVersions returns the kept versions of a custom tool, the newest first, without
// their code.
func (c *Client) CustomToolVersions(ctx context.Context, name, owner string) ([]protocol.CustomToolVersion, error) {
	var told protocol.CustomToolVersions
	body, err := c.ofCustom(ctx, "versions", http.MethodGet, name, "/versions", given(map[string]string{"owner": owner}), nil)
	if err != nil {
		return nil, err
	}
	return told.Versions, decode(body, &told)
}

// CustomToolVersion returns a custom tool with the code of a version, if it is kept.
func (c *Client) CustomToolVersion(ctx context.Context, name, owner string, version int) (CustomTool, error) {
	return c.custom(ctx, "get", http.MethodGet, name, "", given(map[string]string{"owner": owner, "version": strconv.Itoa(version)}), nil)
}

// ShareCustomTool offers a version of a person's tool to the tenant: the version whose
// code was reviewed. If another version is current by now, or another tool is shared
// under the name, the error is a [*RequestError] of type [Conflict].
func (c *Client) ShareCustomTool(ctx context.Context, name, owner string, version int) (CustomTool, error) {
	body := map[string]any{"name": name, "version": version}
	if owner != "" {
		body["owner"] = owner
	}
	return c.custom(ctx, "share", http.MethodPost, name, "/share", nil, body)
}

// UnshareCustomTool withdraws the shared version of a tool. Its owner keeps the tool.
func (c *Client) UnshareCustomTool(ctx context.Context, name string) error {
	_, err := c.custom(ctx, "unshare", http.MethodDelete, name, "/share", given(map[string]string{"user": c.who.User}), nil)
	return err
}

// ToggleCustomTool switches a tool on or off.
func (c *Client) ToggleCustomTool(ctx context.Context, name, owner string, enabled bool) (CustomTool, error) {
	body := map[string]any{"name": name, "enabled": enabled}
	if owner != "" {
		body["owner"] = owner
	}
	return c.custom(ctx, "toggle", http.MethodPost, name, "/toggle", nil, body)
}

// DeleteCustomTool deletes a tool, including its shared version.
func (c *Client) DeleteCustomTool(ctx context.Context, name, owner string) error {
	_, err := c.custom(ctx, "delete", http.MethodDelete, name, "", given(map[string]string{"owner": owner}), nil)
	return err
}

// custom requests an operation on one tool that answers with the tool.
func (c *Client) custom(
	ctx context.Context, what, method, name, below string, query map[string]string, body map[string]any,
) (CustomTool, error) {
	var t CustomTool
	got, err := c.ofCustom(ctx, what, method, name, below, query, body)
	if err != nil {
		return t, err
	}
	return t, decode(got, &t)
}

// ofCustom requests an operation on one tool. Parameters travel in the query, or in the body
// if there is one.
func (c *Client) ofCustom(
	ctx context.Context, what, method, name, below string, query map[string]string, body map[string]any,
) ([]byte, error) {
	if !tool.ValidName(name) {
		return nil, misused("%.80q is not the name of a tool", name)
	}
	path := "/v1/custom-tools/" + name + below
	if body != nil {
		text, err := json.Marshal(body, json.Deterministic(true))
		if err != nil {
			return nil, misused("the request cannot be encoded as JSON: %v", err)
		}
		return c.ask(ctx, operation{name: "custom." + what, method: method, path: path, body: text})
	}
	op := list("custom."+what, path, query)
	op.method, op.fields = method, map[string]string{"name": name}
	maps.Copy(op.fields, query)
	return c.ask(ctx, op)
}
