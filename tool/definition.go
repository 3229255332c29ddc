package tool

import "github.com/helve-dev/helve/protocol"

// Risk is the degree of harm that a call can do.
type Risk = protocol.Risk

// The risks. A low-risk call stays inside the person's own workspace and can be undone,
// a medium one destroys something or reaches outward, a high one runs code.
const (
	Low    = protocol.Low
	Medium = protocol.Medium
	High   = protocol.High
)

// Confirmation is the rule for asking a person beyond what the risk demands.
type Confirmation = protocol.Confirmation

// The confirmation rules.
const (
	ConfirmNever         = protocol.ConfirmNever
	ConfirmIfDestructive = protocol.ConfirmIfDestructive
	ConfirmAlways        = protocol.ConfirmAlways
)

// The kinds of implementation behind a definition.
const (
	KindBuiltin = protocol.KindBuiltin
	KindJS      = protocol.KindJS
	KindDynamic = protocol.KindDynamic
	KindRemote  = protocol.KindRemote
	KindMCP     = protocol.KindMCP
	KindOpenAPI = protocol.KindOpenAPI
)

// Definition is a tool as callers see it.
type Definition = protocol.Tool

// Scopes are the paths, hosts and apps that a tool may reach.
type Scopes = protocol.Scopes

// Limit names the parameter that bounds the size of a list, and its bounds. A missing
// or non-numeric value becomes Default, a value above Max becomes Max, a value below 1
// becomes 1.
type Limit = protocol.ToolLimit

// ReadsWhen describes the calls of a tool that change nothing by the value of one
// parameter.
type ReadsWhen = protocol.ToolReads

// Contexts restrict a tool to certain calls. An empty list allows any.
type Contexts = protocol.ToolContexts
