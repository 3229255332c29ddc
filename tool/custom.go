package tool

import (
	"context"
	"encoding/json"
	"time"
)

// CustomTool is a tool that a model wrote: JavaScript, stored for a person and run in a
// sandbox.
type CustomTool struct {
	ID string `json:"id"`
	// Owner is the person it belongs to.
	Owner string `json:"owner,omitempty"`
	// Shared is set on the copy of a version that everybody in the tenant sees.
	Shared      bool   `json:"-"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category,omitempty"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
	// Code is the body of a function of args, context and utils, unless the tool is Durable.
	Code string `json:"code"`
	// Permissions list what the code may do: network, filesystem, database,
	// shell, email, scheduling.
	Permissions []string `json:"permissions"`
	// Hosts, if not empty, are the only hosts that the network permission reaches.
	Hosts []string `json:"hosts,omitempty"`
	// RequiredAPIKeys are the services whose credentials the code may read.
	RequiredAPIKeys []RequiredAPIKey `json:"required_api_keys,omitempty"`
	// Limits lower the limits of a run; a zero limit leaves the operator's.
	Limits CustomLimits `json:"limits,omitzero"`
	// Durable makes the code the body of a function of args, tools and program, which runs as a
	// program and may call Tools: names, and patterns that end in *. TimeoutSeconds is the time of
	// a run; 0 is an hour.
	Durable        bool     `json:"durable,omitempty"`
	Tools          []string `json:"tools,omitempty"`
	TimeoutSeconds float64  `json:"timeout_seconds,omitempty"`
	// Missing are the entries of Tools that name no tool now, after Create and Update.
	Missing []string `json:"-"`
	// Risk, if set by the author, raises the risk that follows from the permissions.
	Risk    Risk `json:"risk,omitempty"`
	Enabled bool `json:"enabled"`
	// Version counts changes, from 1.
	Version   int       `json:"version"`
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// CustomLimits are the limits of one run of a custom tool.
type CustomLimits struct {
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty" doc:"Longest time of a run, at most 30." min:"0.01" max:"30"`
	CPUSeconds     float64 `json:"cpu_seconds,omitempty" doc:"Most CPU time of a run, at most 5." min:"0.01" max:"5"`
	MemoryMB       int     `json:"memory_mb,omitempty" doc:"Most memory of a run in MB, at most 50." min:"8" max:"50"`
	OutputKB       int     `json:"output_kb,omitempty" doc:"Largest result in KB, at most 1024." min:"1" max:"1024"`
}

// RequiredAPIKey is a service whose credentials a custom tool needs.
type RequiredAPIKey struct {
	Name        string `json:"name" doc:"The service's name, as getApiKey takes it." min:"1" max:"64"`
	DisplayName string `json:"displayName,omitempty" doc:"The name people know it by."`
	Description string `json:"description,omitempty" doc:"What it is needed for."`
	Category    string `json:"category,omitempty" doc:"The kind of service."`
	DocsURL     string `json:"docsUrl,omitempty" doc:"Where a key is to be had."`
}

// CustomTools stores the custom tools of persons. A call acts as its user: it sees the
// user's own tools and those shared with the tenant, and changes only the user's own.
// Errors are [*Error].
type CustomTools interface {
	// Check reports everything that is wrong with a tool: its name, schema, code and
	// permissions. With isNew its name must also be free.
	Check(ctx context.Context, call *Call, t CustomTool, isNew bool) error
	// Create stores a new tool and returns it as stored.
	Create(ctx context.Context, call *Call, t CustomTool) (CustomTool, error)
	// Update changes a stored tool; change may be called more than once.
	Update(ctx context.Context, call *Call, name string, change func(*CustomTool) error) (CustomTool, error)
	// Share offers the version named by about to the tenant.
	Share(ctx context.Context, call *Call, name, about string) (CustomTool, error)
	// Delete removes a tool and its shared version.
	Delete(ctx context.Context, call *Call, name string) error
	// Get returns a tool.
	Get(ctx context.Context, call *Call, name string) (CustomTool, error)
	// Versions returns the versions of a tool that are kept, the newest first.
	Versions(ctx context.Context, call *Call, name string) ([]CustomTool, error)
	// List returns the tools that the call's user sees, sorted by name.
	List(ctx context.Context, call *Call) ([]CustomTool, error)
}
