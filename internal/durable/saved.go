package durable

import "github.com/helve-dev/helve/tool"

// MaxCode bounds the code of a durable tool, in bytes: it is stored with each program of it.
const MaxCode = 64 << 10

// Saved is a durable tool as a program of it began: what runs until the program ends, even if the
// tool is changed or removed.
type Saved struct {
	Definition tool.Definition `json:"definition"`
	// Identity is the version of a tool that a model wrote, empty for others.
	Identity string `json:"identity,omitempty"`
	Code     string `json:"code"`
}
