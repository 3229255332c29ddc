package config

import "time"

// The values of [MCPSection].Tools.
const (
	MCPAll       = "all"
	MCPDiscovery = "discovery"
)

// MCPSection is the dispatcher's endpoint for MCP clients.
type MCPSection struct {
	// Tools is all, or discovery: only the tools that find and run the others.
	Tools string `yaml:"tools"`
	// TaskAfter is the time after which a call becomes a task, for clients that support
	// tasks.
	TaskAfter time.Duration `yaml:"task_after"`
	// ConsoleURL is the URL of the page where a person decides about a consent, whose
	// ID is appended; if it is empty, clients show the question themselves.
	ConsoleURL string `yaml:"console_url"`
}
