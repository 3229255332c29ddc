package protocol

import "encoding/json"

// Execute has the fields that both bodies of execute share.
type Execute struct {
	Context Context  `json:"context,omitzero" doc:"The person, agent and conversation of the calls."`
	TraceID string   `json:"trace_id,omitempty" pattern:"^[0-9a-f]{32}$" doc:"The W3C trace id of the calls: 32 hex digits, not all zero; generated if absent."`
	WaitMS  *float64 `json:"wait_ms,omitzero" minimum:"0" doc:"The time to wait for results; 0 answers immediately. 30000 if absent."`
	Consent string   `json:"consent,omitempty" enum:"return,wait,tell" doc:"return (the default) answers as soon as every call is done or awaits a person; wait also waits for the person, up to wait_ms; tell answers as return does, with messages that tell the model which calls wait."`
	// Callback receives each finished element.
	Callback *Callback `json:"callback,omitzero" doc:"Where each finished result element is sent with POST, signed, until the receiver answers 2xx or a day has passed."`
}

// Callback names the receiver of results.
type Callback struct {
	URL     string            `json:"url" minLength:"1" maxLength:"2048" doc:"An http or https URL. Its host, with the port if the URL has one, must be among callbacks.allowed_hosts; it has no user name, password or fragment."`
	Headers map[string]string `json:"headers,omitempty" maxProperties:"20" doc:"Headers of the request, such as Authorization: at most 20, 8 KiB together. They are stored encrypted and shown nowhere. Helve-*, Content-*, Host and the headers of the connection are refused."`
}

// ExecuteCalls is the body of execute with a list of calls.
type ExecuteCalls struct {
	Execute

	Calls []Call `json:"calls" minItems:"1" doc:"The calls, which run in parallel; results have their order."`
}

// ExecuteMessage is the body of execute with a model's message that contains calls.
type ExecuteMessage struct {
	Execute

	Format       string          `json:"format" enum:"openai,openai_responses,anthropic,gemini" doc:"The format of the message, by model provider."`
	Message      json.RawMessage `json:"message" doc:"The message as the model returned it: choices[0].message, the Response, the Message, or candidates[0].content."`
	CallIDPrefix string          `json:"call_id_prefix,omitempty" pattern:"^[A-Za-z0-9_-]{1,123}$" doc:"The prefix of the ids of its calls, so that the message can be sent again. The first id is PREFIX-0."`
	Priority     string          `json:"priority,omitempty" enum:"interactive,batch" doc:"The priority of the message's calls; interactive if absent."`
}

// Call is one call of a tool. An invalid call fails alone; the other calls of the
// request run.
type Call struct {
	CallID        string          `json:"call_id,omitempty" pattern:"^[A-Za-z0-9_-]{1,128}$" doc:"The idempotency key, unique in the tenant. A call that is sent again does not run twice: the request joins the running call or gets its result. Generated if absent."`
	ToolCallID    string          `json:"tool_call_id,omitempty" maxLength:"256" doc:"The model provider's id, at most 256 bytes, returned unchanged."`
	Tool          string          `json:"tool" maxLength:"64" doc:"The tool's name."`
	Arguments     json.RawMessage `json:"arguments,omitzero" doc:"An object that matches the tool's parameters, or a JSON string that contains this object."`
	ConfirmToken  string          `json:"confirm_token,omitempty" maxLength:"16384" doc:"A token that approves this call."`
	Priority      string          `json:"priority,omitempty" enum:"interactive,batch" doc:"batch if the call may wait behind others while workers are busy; interactive if absent."`
	TimeoutMS     float64         `json:"timeout_ms,omitzero" minimum:"0" doc:"The time limit of the call. The tool's own timeout applies too."`
	RerunOf       string          `json:"rerun_of,omitempty" pattern:"^[A-Za-z0-9_-]{1,128}$" doc:"The call_id of an ended call that this one repeats as a new call. Its audit records name it; nothing else depends on it."`
	WaitForWorker bool            `json:"wait_for_worker,omitzero" doc:"If no live worker has the tool, queue the call until a worker has it, for as long as a call may wait for a free worker. Without it such a call fails within 2 s with tool_not_available."`
}

// Values of the field consent of a request.
const (
	ConsentReturn = "return"
	ConsentWait   = "wait"
	ConsentTell   = "tell"
)

// Priorities of a [Call].
const (
	PriorityInteractive = "interactive"
	PriorityBatch       = "batch"
)

// ExecuteAnswer answers execute.
type ExecuteAnswer struct {
	TraceID  string          `json:"trace_id" doc:"The trace of the calls."`
	Results  []Result        `json:"results" doc:"One result element for each call, in the order asked."`
	Messages json.RawMessage `json:"messages,omitzero" doc:"If a message was sent and no call is pending, or with consent tell each pending call waits for a person or a time: the messages to append for the model, in its provider's format."`
}
