package tool

import (
	"context"
	"encoding/json"
)

// Durable runs the code of a call as a program: code whose every step is a call of its own, and
// which waits as data for people, times and results. The call may end here and continue on another
// worker.
type Durable interface {
	// Run runs the code. Its error may mean that the call goes on elsewhere: it must be
	// returned unchanged.
	Run(ctx context.Context, call *Call, code DurableCode) (Result, error)
}

// DurableCode is the code that [Durable] runs, with its input.
type DurableCode struct {
	// Code is the body of an async function of tools, input and program, or of args, tools and
	// program if Args is set.
	Code string
	// Input is any JSON value, or the object of the arguments.
	Input json.RawMessage
	Args  bool
	// Tools are the names and patterns of the tools that the code may call; nil is all.
	Tools []string
}
