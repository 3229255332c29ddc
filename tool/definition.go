package tool

import (
	"encoding/json"
	"time"
)

// Risk says how much harm a call can do; PROTOCOL section 6 says what follows.
type Risk string

// The risks. Low stays inside the person's own workspace and can be undone,
// medium destroys or reaches outward, high runs code.
const (
	Low    Risk = "low"
	Medium Risk = "medium"
	High   Risk = "high"
)

// Confirmation says when a call needs a person beyond what its risk asks.
type Confirmation string

// The confirmation rules.
const (
	ConfirmNever         Confirmation = "never"
	ConfirmIfDestructive Confirmation = "if_destructive"
	ConfirmAlways        Confirmation = "always"
)

// Kind of implementation behind a definition.
const (
	KindBuiltin = "builtin"
	KindJS      = "js"
	KindDynamic = "dynamic"
	KindRemote  = "remote"
	KindMCP     = "mcp"
)

// Scopes says what of the world a tool may reach.
type Scopes struct {
	Paths []string `json:"paths"`
	Hosts []string `json:"hosts"`
	Apps  []string `json:"apps"`
}

// Limit names the parameter that bounds a list and its bounds: missing or not
// a number means Default, above Max means Max, below 1 means 1.
type Limit struct {
	Param   string `json:"param"`
	Max     int    `json:"max"`
	Default int    `json:"default"`
}

// Definition is a tool as the outside sees it (PROTOCOL section 5).
type Definition struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Category             string          `json:"category"`
	Group                string          `json:"group"`
	Version              string          `json:"version"`
	Aliases              []string        `json:"aliases,omitempty"`
	Parameters           json.RawMessage `json:"parameters"`
	ResultSchema         json.RawMessage `json:"result_schema,omitempty"`
	Errors               []Kind          `json:"errors,omitempty"`
	Example              json.RawMessage `json:"example,omitempty"`
	Risk                 Risk            `json:"risk"`
	Confirmation         Confirmation    `json:"confirmation"`
	RequiresConfirmation bool            `json:"requires_confirmation"`
	Mutates              bool            `json:"mutates"`
	Destructive          bool            `json:"destructive"`
	Idempotent           bool            `json:"idempotent"`
	OpenWorld            bool            `json:"open_world"`
	Scopes               Scopes          `json:"scopes"`
	RequiredPermissions  []string        `json:"required_permissions"`
	TimeoutSeconds       float64         `json:"timeout_seconds"`
	Limit                *Limit          `json:"limit,omitempty"`
	Tags                 []string        `json:"tags"`
	BoundTo              *Contexts       `json:"bound_to,omitempty"`
	Pool                 string          `json:"pool"`
	Kind                 string          `json:"kind"`
	Enabled              bool            `json:"enabled"`
}

// Timeout is the longest the tool may run.
func (d *Definition) Timeout() time.Duration {
	return time.Duration(d.TimeoutSeconds * float64(time.Second))
}
