package client

import (
	"context"
	stdjson "encoding/json"
	"net/http"

	"github.com/helve-dev/helve/tool"
)

// Filter narrows a listing of tools. Its zero value narrows nothing.
type Filter struct {
	// Agent lists what that agent may use.
	Agent string
	// Group and Category are exact names.
	Group, Category string
	// Query is words to look for in names, descriptions, categories and tags.
	Query string
}

func (f Filter) params() map[string]string {
	return given(map[string]string{"agent": f.Agent, "group": f.Group, "category": f.Category, "q": f.Query})
}

// Tools returns the definitions that pass the filter, always in the same order.
func (c *Client) Tools(ctx context.Context, f Filter) ([]tool.Definition, error) {
	var told struct {
		Tools []tool.Definition `json:"tools"`
	}
	body, err := c.ask(ctx, list("tools.list", "/v1/tools", f.params()))
	if err != nil {
		return nil, err
	}
	return told.Tools, decode(body, &told)
}

// ToolsAs returns the same tools in a format: native, openai, anthropic, gemini
// or mcp. The JSON is exactly what that provider's request takes as its tools. A
// format that the server does not have is a [*RequestError] of type [BadRequest].
func (c *Client) ToolsAs(ctx context.Context, format string, f Filter) (stdjson.RawMessage, error) {
	params := f.params()
	params["format"] = format
	var told struct {
		Tools stdjson.RawMessage `json:"tools"`
	}
	body, err := c.ask(ctx, list("tools.list", "/v1/tools", params))
	if err != nil {
		return nil, err
	}
	return told.Tools, decode(body, &told)
}

// Tool returns the definition of the tool with that name or alias; one that is
// not there is a [*RequestError] of type [NotFound].
func (c *Client) Tool(ctx context.Context, name string) (tool.Definition, error) {
	var def tool.Definition
	if !tool.ValidName(name) {
		return def, misused("tool name %.80q must be letters, digits and underscores, in parts joined by dots, at most %d bytes", name, tool.MaxNameLength)
	}
	op := operation{name: "tools.get", fields: map[string]string{"name": name}, method: http.MethodGet, path: "/v1/tools/" + name}
	body, err := c.ask(ctx, op)
	if err != nil {
		return def, err
	}
	return def, decode(body, &def)
}
