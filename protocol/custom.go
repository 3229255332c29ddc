package protocol

import (
	"encoding/json"
	"time"
)

// CustomTool is a tool that a model wrote for a person.
type CustomTool struct {
	Name          string          `json:"name" doc:"The tool's name, unique per owner."`
	Owner         string          `json:"owner" doc:"The person who owns it."`
	Description   string          `json:"description" doc:"What the tool does, for the model."`
	Enabled       bool            `json:"enabled" doc:"true if it can be called."`
	Version       int             `json:"version" doc:"Its current version, from 1."`
	Permissions   []string        `json:"permissions" doc:"The permissions of its code."`
	Hosts         []string        `json:"hosts" doc:"The only hosts that the permission network covers; empty means any."`
	Risk          Risk            `json:"risk" doc:"The harm that a call can do."`
	SharedVersion int             `json:"shared_version" doc:"The version that is shared with the tenant; 0 if none."`
	SharedBy      string          `json:"shared_by,omitempty" doc:"The person who shared it."`
	SharedAt      time.Time       `json:"shared_at,omitzero" doc:"The time it was shared."`
	UpdatedAt     time.Time       `json:"updated_at,omitzero" doc:"The time of its last change."`
	Parameters    json.RawMessage `json:"parameters,omitzero" doc:"JSON Schema of its arguments; only if one tool was requested."`
	Code          string          `json:"code,omitempty" doc:"Its code; only if one tool was requested."`
}

// CustomToolList answers custom.list.
type CustomToolList struct {
	Tools []CustomTool `json:"tools" doc:"The tools, by name."`
}

// CustomToolVersion is one kept version of a tool that a model wrote.
type CustomToolVersion struct {
	Version     int       `json:"version" doc:"Its number, from 1."`
	UpdatedAt   time.Time `json:"updated_at,omitzero" doc:"The time it was made."`
	Enabled     bool      `json:"enabled" doc:"true if the tool could be called. Switching it on or off makes a version."`
	Description string    `json:"description" doc:"What the tool did, for the model."`
	Permissions []string  `json:"permissions" doc:"The permissions of its code."`
	Hosts       []string  `json:"hosts" doc:"The only hosts that the permission network covered; empty means any."`
	Shared      bool      `json:"shared" doc:"true if this is the version that is shared with the tenant."`
}

// CustomToolVersions answers custom.versions.
type CustomToolVersions struct {
	Versions []CustomToolVersion `json:"versions" doc:"The newest ten, the newest first, and the shared one."`
}

// ShareRequest is the body of custom.share.
type ShareRequest struct {
	Owner   string `json:"owner,omitempty" doc:"The person who owns the tool; required if several people have a tool of this name."`
	Version int    `json:"version" doc:"The version that was reviewed, from 1. Any version but the current one is refused."`
}

// ToggleRequest is the body of custom.toggle.
type ToggleRequest struct {
	Owner   string `json:"owner,omitempty" doc:"The person who owns the tool; required if several people have a tool of this name."`
	Enabled *bool  `json:"enabled" doc:"true enables it, false disables it."`
}
