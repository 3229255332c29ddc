package js

import (
	"context"
	"encoding/json"
	"time"
)

// Task is one run of a script.
type Task struct {
	Program *Program
	// Function is the function of an operator's file to call with the arguments. It is
	// empty for a program that is a function body.
	Function string
	// Args are the arguments, a JSON object; of a program any JSON.
	Args json.RawMessage
	// Env holds the values that the operator set for the tool; the script sees them as
	// _env.
	Env map[string]string
	// Context is the context argument of a function body.
	Context Context
	// Durable makes the task the run of a program: its Program must come from
	// [CompileDurable], Args are its input, and [OpNext] is the only operation.
	Durable *Durable
	// Network and Files are set if fetch and fs exist.
	Network, Files bool
	// Host serves the requests of the bridges.
	Host Host
	// Lib finds a shared library by name; nil means that there are none. The
	// error is shown to the script.
	Lib func(name string) (*Program, error)
	// Meter, if set, ends the script when the memory of the process grows too much.
	Meter *Meter
	// MaxOutput limits the result in bytes; 0 means no limit.
	MaxOutput int
	// Now is the clock of the script; nil means the machine's clock.
	Now func() time.Time
}

// Context describes the call that a function body serves.
type Context struct {
	ToolName       string `json:"toolName"`
	CallID         string `json:"callId"`
	ConversationID string `json:"conversationId"`
	UserID         string `json:"userId"`
}

// Host does what a script cannot do by itself. Do may be called concurrently. Args and
// the answer are JSON in the forms documented at the operations. An error that is a
// *tool.Error keeps its kind; its message is shown to the script.
type Host interface {
	Do(ctx context.Context, op Op, args json.RawMessage) (json.RawMessage, error)
}

// Op names an operation of a [Host].
type Op string

// The operations.
const (
	// OpFetch sends a FetchRequest and answers with a FetchResponse.
	OpFetch Op = "fetch"
	// OpFile works on the workspace: a FileRequest, answered with a FileResponse.
	OpFile Op = "file"
	// OpLog logs a LogLine and answers null.
	OpLog Op = "log"
	// OpCall calls another tool: a CallRequest, answered with the value of the result.
	OpCall Op = "call"
	// OpTools lists the tools that OpCall can call: null, answered with []ToolInfo.
	OpTools Op = "tools"
	// OpService reads a service of the config center: a name as a JSON string,
	// answered with []tool.ServiceEntry.
	OpService Op = "service"
	// OpLib reads a shared library: a name as a JSON string, answered with its
	// source as a JSON string.
	OpLib Op = "lib"
	// OpNext sends what a program has done since the last one, and waits until something
	// happened that the program awaits: a NextRequest, answered with a NextAnswer.
	OpNext Op = "next"
	// OpUses sends the calls of tools that the code of a program names, before it runs: a
	// []Use, answered with null, or with the error in which the run ends.
	OpUses Op = "uses"
)

// FetchRequest is a request of a script.
type FetchRequest struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers,omitempty"`
	Body    []byte      `json:"body,omitempty"` // base64 in JSON
	// Redirect is follow, error or manual.
	Redirect string `json:"redirect,omitempty"`
}

// FetchResponse is the response with its complete body.
type FetchResponse struct {
	URL        string      `json:"url"`
	Status     int         `json:"status"`
	StatusText string      `json:"status_text"`
	Redirected bool        `json:"redirected,omitempty"`
	Headers    [][2]string `json:"headers"`
	Body       []byte      `json:"body,omitempty"`
}

// FileRequest is one operation of fs: read, write, append, exists, list or
// remove.
type FileRequest struct {
	Do   string `json:"do"`
	Path string `json:"path"`
	Data []byte `json:"data,omitempty"`
}

// FileResponse has the member that belongs to the operation.
type FileResponse struct {
	Data    []byte   `json:"data,omitempty"`
	Exists  bool     `json:"exists,omitempty"`
	Entries []string `json:"entries,omitempty"` // names; directories end in /
}

// LogLine is one line of console.
type LogLine struct {
	Level   string `json:"level"` // debug, info, warn or error
	Message string `json:"message"`
}

// CallRequest is a call of another tool.
type CallRequest struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ToolInfo is a tool as listTools shows it.
type ToolInfo struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Category    string          `json:"category"`
	Parameters  json.RawMessage `json:"parameters"`
}
