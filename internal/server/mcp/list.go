package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"sort"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/helve-dev/helve/internal/provider"
	"github.com/helve-dev/helve/tool"
)

const (
	// pageSize is the number of tools on a page of tools/list.
	pageSize = 100
	// listTTL is the time for which a client may cache the list, in milliseconds.
	listTTL = 5000
)

// list answers tools/list: the caller's tools sorted by name, so that a page continues
// after the one before, whichever replica wrote it.
func (s *Server) list(ctx context.Context, req *sdk.ListToolsRequest) (sdk.Result, error) {
	after := ""
	if req.Params != nil && req.Params.Cursor != "" {
		text, err := base64.RawURLEncoding.DecodeString(req.Params.Cursor)
		if err != nil || !tool.ValidName(string(text)) {
			return nil, invalid("the cursor is not one of this server; ask for the list without it")
		}
		after = string(text)
	}
	by := callerOf(ctx)
	by.Toolset = cmp.Or(by.Toolset, s.Listed)
	defs, err := s.platform.Tools(ctx, by)
	if err != nil {
		return nil, err
	}
	defs = defs[sort.Search(len(defs), func(i int) bool { return defs[i].Name > after }):]
	res := &sdk.ListToolsResult{Tools: []*sdk.Tool{}}
	if len(defs) > pageSize {
		defs = defs[:pageSize]
		res.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(defs[pageSize-1].Name))
	}
	for _, def := range defs {
		res.Tools = append(res.Tools, define(def))
	}
	res.TTLMs, res.CacheScope = listTTL, "private" // other callers may have other tools
	return res, nil
}

// define converts a definition for a client. The annotations are hints.
func define(def *tool.Definition) *sdk.Tool {
	d := &sdk.Tool{
		Name: def.Name, Description: def.Description, InputSchema: provider.MCPSchema(def.Parameters),
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: !def.Mutates, DestructiveHint: &def.Destructive, IdempotentHint: def.Idempotent, OpenWorldHint: &def.OpenWorld,
		},
	}
	if provider.ObjectResult(def.ResultSchema) {
		d.OutputSchema = provider.MCPSchema(def.ResultSchema)
	}
	return d
}
