package protocol

import (
	"encoding/json"
	"time"
)

// Risk is a level of the harm that a call can do.
type Risk string

// The risks. A low-risk call stays inside the person's own workspace and can be undone,
// a medium-risk call destroys data or reaches outside, a high-risk call runs code.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

// Confirmation is a rule for when a call needs a person's approval beyond what its risk
// requires.
type Confirmation string

// The confirmation rules.
const (
	ConfirmNever         Confirmation = "never"
	ConfirmIfDestructive Confirmation = "if_destructive"
	ConfirmAlways        Confirmation = "always"
)

// Kinds of implementation behind a [Tool].
const (
	KindBuiltin = "builtin"
	KindJS      = "js"
	KindDynamic = "dynamic"
	KindRemote  = "remote"
	KindMCP     = "mcp"
	KindOpenAPI = "openapi"
)

// Tool is the definition of a tool.
type Tool struct {
	Name                 string          `json:"name" doc:"Its name, unique in the tenant: words of letters, digits and _, with dots between them."`
	Description          string          `json:"description" doc:"What the tool does, for the model."`
	Category             string          `json:"category" doc:"The category of the tool."`
	Group                string          `json:"group" doc:"The group that enables and disables it."`
	Version              string          `json:"version" doc:"Its version."`
	Aliases              []string        `json:"aliases,omitempty" doc:"Other names of the tool."`
	Parameters           json.RawMessage `json:"parameters" doc:"JSON Schema of its arguments."`
	ResultSchema         json.RawMessage `json:"result_schema,omitzero" doc:"JSON Schema of its result."`
	Errors               []Kind          `json:"errors,omitempty" doc:"The errors that the tool itself can return, in addition to those of every call."`
	Example              json.RawMessage `json:"example,omitzero" doc:"Valid arguments."`
	Risk                 Risk            `json:"risk" doc:"The harm that a call can do."`
	Confirmation         Confirmation    `json:"confirmation" doc:"When a call needs approval beyond what its risk requires."`
	RequiresConfirmation bool            `json:"requires_confirmation" doc:"true if a person must approve each call."`
	Mutates              bool            `json:"mutates" doc:"true if it can change something."`
	ReadsWhen            *ToolReads      `json:"reads_when,omitzero" doc:"The calls that change nothing although the tool can; absent if there are none, or they follow from more than one parameter."`
	Destructive          bool            `json:"destructive" doc:"true if it can destroy something."`
	Idempotent           bool            `json:"idempotent" doc:"true if a second call with the same arguments changes nothing more."`
	Transactional        bool            `json:"transactional,omitzero" doc:"true if its changes are committed together with its result, exactly once."`
	Durable              bool            `json:"durable,omitzero" doc:"true if it is a program: a run whose steps are calls, and which waits as data."`
	Tools                []string        `json:"tools,omitzero" doc:"The tools that a durable tool may call: names, and patterns that end in *."`
	OpenWorld            bool            `json:"open_world" doc:"true if it reaches beyond the workspace."`
	Scopes               Scopes          `json:"scopes" doc:"What it may reach."`
	RequiredPermissions  []string        `json:"required_permissions" doc:"The permissions that a person must grant."`
	TimeoutSeconds       float64         `json:"timeout_seconds" doc:"The maximum running time."`
	Limit                *ToolLimit      `json:"limit,omitzero" doc:"The parameter that bounds a list."`
	Tags                 []string        `json:"tags" doc:"Search terms for people; not sent to models."`
	BoundTo              *ToolContexts   `json:"bound_to,omitzero" doc:"The calls that may use it; absent if every call may."`
	Pool                 string          `json:"pool" doc:"The pool of workers that run it."`
	Kind                 string          `json:"kind" enum:"builtin,js,dynamic,remote,mcp,openapi" doc:"The kind of implementation behind it."`
	Enabled              bool            `json:"enabled" doc:"true if it can be called now."`
}

// Timeout returns the maximum running time of the tool.
func (d *Tool) Timeout() time.Duration {
	return time.Duration(d.TimeoutSeconds * float64(time.Second))
}

// Scopes lists what a call may reach.
type Scopes struct {
	Paths []string `json:"paths" doc:"Parts of the file system; workspace is the person's own directory."`
	Hosts []string `json:"hosts" doc:"Hosts; an empty list means any host that the operator allows."`
	Apps  []string `json:"apps" doc:"Desktop applications."`
}

// ToolLimit names the parameter that limits the length of a list, and its bounds. A
// missing or non-numeric value becomes Default, a value above Max becomes Max, a value
// below 1 becomes 1.
type ToolLimit struct {
	Param   string `json:"param" doc:"Its name."`
	Max     int    `json:"max" doc:"The maximum; a higher value becomes this."`
	Default int    `json:"default" doc:"The value if it is missing."`
}

// ToolReads describes the calls of a tool that change nothing: those whose parameter has one
// of the values. Workers decide by all arguments; this tells dispatchers what to expect.
type ToolReads struct {
	Param  string   `json:"param" doc:"The name of the parameter."`
	Values []string `json:"values" doc:"Its values, without regard to case."`
	Absent bool     `json:"absent,omitzero" doc:"true if a call without the parameter changes nothing either."`
}

// ToolContexts lists the calls that a tool is bound to. An empty list matches any
// value.
type ToolContexts struct {
	Tenants       []string `json:"tenants,omitempty" doc:"Of these tenants."`
	Agents        []string `json:"agents,omitempty" doc:"Of these agents."`
	Conversations []string `json:"conversations,omitempty" doc:"Of these conversations."`
}
