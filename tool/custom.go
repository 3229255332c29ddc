package tool

import (
	"context"
	"encoding/json"
	"time"
)

// CustomTool is a tool that a model wrote: JavaScript, kept for a tenant and run
// in a sandbox.
type CustomTool struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Category    string `json:"category,omitempty"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
	// Code is the body of a function of args, context and utils.
	Code string `json:"code"`
	// Permissions are what the code may do: network, filesystem, database,
	// shell, email, scheduling.
	Permissions []string `json:"permissions"`
	// Hosts, where there are any, are all that network reaches.
	Hosts []string `json:"hosts,omitempty"`
	// RequiredAPIKeys are the services whose entries the code may read.
	RequiredAPIKeys []RequiredAPIKey `json:"required_api_keys,omitempty"`
	// Limits lower what a run may take; a zero one leaves the operator's.
	Limits CustomLimits `json:"limits,omitzero"`
	// Risk is raised by whoever made the tool; empty leaves what follows from
	// the permissions.
	Risk    Risk `json:"risk,omitempty"`
	Enabled bool `json:"enabled"`
	// Version counts changes, from 1.
	Version   int       `json:"version"`
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// CustomLimits bound one run of a custom tool.
type CustomLimits struct {
	TimeoutSeconds float64 `json:"timeout_seconds,omitempty" doc:"Longest time of a run, at most 30." min:"0.01" max:"30"`
	CPUSeconds     float64 `json:"cpu_seconds,omitempty" doc:"Most CPU time of a run, at most 5." min:"0.01" max:"5"`
	MemoryMB       int     `json:"memory_mb,omitempty" doc:"Most memory of a run in MB, at most 50." min:"8" max:"50"`
	OutputKB       int     `json:"output_kb,omitempty" doc:"Largest result in KB, at most 1024." min:"1" max:"1024"`
}

// RequiredAPIKey is a service that a custom tool needs an entry of.
type RequiredAPIKey struct {
	Name        string `json:"name" doc:"The service's name, as getApiKey takes it." min:"1" max:"64"`
	DisplayName string `json:"displayName,omitempty" doc:"The name people know it by."`
	Description string `json:"description,omitempty" doc:"What it is needed for."`
	Category    string `json:"category,omitempty" doc:"The kind of service."`
	DocsURL     string `json:"docsUrl,omitempty" doc:"Where a key is to be had."`
}

// CustomTools keeps the custom tools of each tenant. Errors are [*Error].
type CustomTools interface {
	// Check says all that is wrong with a tool: its name, schema, code,
	// permissions. New says that its name must not be taken.
	Check(ctx context.Context, call *Call, t CustomTool, isNew bool) error
	// Create stores a new tool and returns it as stored.
	Create(ctx context.Context, call *Call, t CustomTool) (CustomTool, error)
	// Update changes a stored tool; change may be called more than once.
	Update(ctx context.Context, call *Call, name string, change func(*CustomTool) error) (CustomTool, error)
	// Delete removes one.
	Delete(ctx context.Context, call *Call, name string) error
	// Get returns one.
	Get(ctx context.Context, call *Call, name string) (CustomTool, error)
	// List returns all of the call's tenant, by name.
	List(ctx context.Context, call *Call) ([]CustomTool, error)
}
