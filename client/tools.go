package client

import (
	"cmp"
	"context"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/helve-dev/helve/tool"
)

// Filter selects tools. Its zero value selects all.
type Filter struct {
	// Agent selects the tools that the agent may use, User adds that person's custom
	// tools; the defaults are those of the client's [Context].
	Agent, User string
	// Group and Category are exact names.
	Group, Category string
	// Toolset is the name of a tool set, such as search or code; the default is that of
	// the client's [Context].
	Toolset string
	// Query is a list of words to find in names, descriptions, categories and tags.
	Query string
}

func (f Filter) params() map[string]string {
	return given(map[string]string{
		"agent": f.Agent, "user": f.User, "group": f.Group, "category": f.Category, "toolset": f.Toolset, "q": f.Query,
	})
}

// Tools returns the definitions that match the filter, in a fixed order. Those that one answer
// over NATS cannot hold are requested in pages.
func (c *Client) Tools(ctx context.Context, f Filter) ([]tool.Definition, error) {
	f.User, f.Toolset = cmp.Or(f.User, c.who.User), cmp.Or(f.Toolset, c.who.Toolset)
	params := f.params()
	var all []tool.Definition
	limit := pageOfTools
	err := pages(params, func() (string, error) {
		for {
			var page struct {
				Tools []tool.Definition `json:"tools"`
				Next  string            `json:"next"`
			}
			body, err := c.ask(ctx, list("tools.list", "/v1/tools", params))
			if e, ok := errors.AsType[*RequestError](err); ok && e.Type == TooLarge && limit > 0 {
				params["limit"] = strconv.Itoa(limit)
				limit /= 2
				continue
			}
			if err == nil {
				err = decode(body, &page)
			}
			all = append(all, page.Tools...)
			return page.Next, err
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// pageOfTools is the size of a page of tools; the definitions of an API may be large, and then
// fewer are requested.
const pageOfTools = 256

// ToolsAs returns the same tools in a format: native, openai, anthropic, gemini or mcp.
// The JSON is exactly the tools member of that provider's request. An unknown format is
// a [*RequestError] of type [BadRequest].
func (c *Client) ToolsAs(ctx context.Context, format string, f Filter) (stdjson.RawMessage, error) {
	f.User, f.Toolset = cmp.Or(f.User, c.who.User), cmp.Or(f.Toolset, c.who.Toolset)
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

// Tool returns the definition of the tool with that name or alias. An unknown tool is a
// [*RequestError] of type [NotFound].
func (c *Client) Tool(ctx context.Context, name string) (tool.Definition, error) {
	var def tool.Definition
	if !tool.ValidName(name) {
		return def, misused("tool name %.80q must be letters, digits and underscores, in parts joined by dots, at most %d bytes",
			name, tool.MaxNameLength)
	}
	op := operation{
		name:   "tools.get",
		fields: given(map[string]string{"name": name, "user": c.who.User}),
		method: http.MethodGet,
		path:   "/v1/tools/" + name,
	}
	if c.who.User != "" {
		op.path += "?user=" + url.QueryEscape(c.who.User)
	}
	body, err := c.ask(ctx, op)
	if err != nil {
		return def, err
	}
	return def, decode(body, &def)
}
