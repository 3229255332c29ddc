package protocol

import (
	"encoding/json"
	"time"
)

// RegisterRequest is the body of remote.register, sent by a process that runs tools.
// The process sends it again every third of ttl_ms.
type RegisterRequest struct {
	Instance string            `json:"instance" doc:"The id of the process, unique among those that run the same tools: 1 to 64 letters, digits, _ and -."`
	TTLMS    float64           `json:"ttl_ms" doc:"The time that it counts as alive after each registration: 1000 to 300000."`
	Tools    []json.RawMessage `json:"tools" doc:"Definitions as tools.get shows them, 1 to 100. A name, a description and parameters are enough; args_schema is accepted as a name for parameters."`
}

// Registered answers remote.register.
type Registered struct {
	HeartbeatMS int64    `json:"heartbeat_ms" doc:"The interval at which to send the registration again."`
	Instance    string   `json:"instance" doc:"The process."`
	Tools       []string `json:"tools" doc:"The names of its tools."`
	TTLMS       int64    `json:"ttl_ms" doc:"The time that it counts as alive."`
}

// UnregisterRequest is the body of remote.unregister.
type UnregisterRequest struct {
	Instance string `json:"instance" doc:"The process."`
}

// Unregistered answers remote.unregister.
type Unregistered struct {
	Instance string `json:"instance" doc:"The process."`
	Was      bool   `json:"unregistered" doc:"true if it was registered."`
}

// RemoteList answers remote.list.
type RemoteList struct {
	Instances []RemoteInstance `json:"instances" doc:"The live processes, by id."`
}

// RemoteInstance is a live remote process.
type RemoteInstance struct {
	Instance string       `json:"instance" doc:"The id of the process."`
	Tools    []WorkerTool `json:"tools" doc:"The tools it runs, by name."`
	TTLMS    int64        `json:"ttl_ms" doc:"The time that it counts as alive after each registration."`
	LastSeen time.Time    `json:"last_seen" doc:"The time at which its last registration reached the dispatcher that answers."`
}

// RemoteCall is the request that a remote process receives for a call. The call is
// already validated, authorised, fenced and recorded.
type RemoteCall struct {
	CallID    string          `json:"call_id" doc:"The call's id. A nested call has the id of the outer call with ~ and a number."`
	TraceID   string          `json:"trace_id" doc:"The trace."`
	Tool      string          `json:"tool" doc:"The tool's name."`
	Arguments json.RawMessage `json:"arguments" doc:"The arguments; numbers keep every digit."`
	Context   Context         `json:"context" doc:"The person, agent and conversation of the call."`
	Attempt   int             `json:"attempt" doc:"The number of the attempt, from 1. Above 1, an earlier attempt may have run."`
	Deadline  time.Time       `json:"deadline" doc:"The time after which the answer is ignored."`
}

// RemoteAnswer is the answer of a remote process to a [RemoteCall].
type RemoteAnswer struct {
	Status    string          `json:"status" enum:"success,error" doc:"The outcome of the call."`
	Result    json.RawMessage `json:"result" doc:"The tool's result: any JSON value; numbers keep every digit."`
	Text      string          `json:"text" doc:"The text to show to a model instead of the result."`
	Notes     []string        `json:"notes" doc:"Sentences that a model should read beside the result, at most 5."`
	ErrorType Kind            `json:"error_type" doc:"Why the call failed."`
	Message   string          `json:"message" doc:"One sentence for the model: the cause and what to do."`
}
