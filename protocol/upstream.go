package protocol

import (
	"encoding/json"
	"time"
)

// States of an [UpstreamTool]: it may be offered, it changed since it was accepted, or
// it was never accepted.
const (
	UpstreamAccepted = "accepted"
	UpstreamChanged  = "changed"
	UpstreamNew      = "new"
)

// UpstreamTool is a tool of an MCP server or an API document, as operators see it.
type UpstreamTool struct {
	Tool           string          `json:"tool" doc:"The tool's name."`
	Server         string          `json:"server" doc:"The MCP server or API document, as named in the configuration."`
	Name           string          `json:"upstream" doc:"The tool's name on the server, or its operationId."`
	State          string          `json:"state" enum:"accepted,changed,new" doc:"accepted tools may be offered; changed and new tools wait for an operator."`
	Accepted       string          `json:"accepted,omitempty" doc:"The hash that was last accepted."`
	By             string          `json:"by,omitempty" doc:"The person who accepted it."`
	At             time.Time       `json:"at,omitzero" doc:"The time it was accepted."`
	Seen           string          `json:"seen,omitempty" doc:"The hash of the pending definition."`
	Worker         string          `json:"worker,omitempty" doc:"The worker that saw it."`
	SeenAt         time.Time       `json:"seen_at,omitzero" doc:"The time it was seen."`
	Definition     json.RawMessage `json:"definition,omitzero" doc:"The last accepted definition; only if one tool was requested."`
	SeenDefinition json.RawMessage `json:"seen_definition,omitzero" doc:"The pending definition; only if one tool was requested."`
}

// UpstreamList answers upstream.list.
type UpstreamList struct {
	Tools []UpstreamTool `json:"tools" doc:"The tools, by name."`
}

// AcceptRequest is the body of upstream.accept.
type AcceptRequest struct {
	Hash string `json:"hash" doc:"The hash of the definition that was reviewed."`
}
