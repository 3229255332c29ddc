package openapi

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/helve-dev/helve/internal/api"
	"github.com/helve-dev/helve/internal/bus"
)

// The body of execute is read by hand, for speed and because parts of it are kept
// byte for byte, so its types stand here.

// ExecuteRequest is one of two things.
type ExecuteRequest struct{}

// Schema implements [huma.SchemaProvider].
func (ExecuteRequest) Schema(r huma.Registry) *huma.Schema {
	b := builder{schemas: r}
	return &huma.Schema{OneOf: []*huma.Schema{b.schema(ExecuteCalls{}), b.schema(ExecuteMessage{})}}
}

// Execute is what both have.
type Execute struct {
	Context Context `json:"context,omitzero" doc:"For whom the calls run."`
	TraceID string  `json:"trace_id,omitempty" pattern:"^[0-9a-f]{32}$" doc:"The W3C trace id that the calls belong to, 32 hex digits, not all zero; made when absent."`
	WaitMS  float64 `json:"wait_ms,omitempty" minimum:"0" default:"30000" doc:"How long to wait for results; 0 answers at once."`
	Consent string  `json:"consent,omitempty" enum:"return,wait" default:"return" doc:"return answers as soon as every call is done or awaits a person; wait waits for the person too, up to wait_ms."`
}

// ExecuteCalls runs calls that are named.
type ExecuteCalls struct {
	Execute
	Calls []Call `json:"calls" minItems:"1" doc:"The calls, which run in parallel; results have their order."`
}

// ExecuteMessage runs the calls that a model's message holds.
type ExecuteMessage struct {
	Execute
	Format       string         `json:"format" enum:"openai,openai_responses,anthropic,gemini" doc:"Which provider's model wrote the message."`
	Message      map[string]any `json:"message" doc:"The model's own: choices[0].message, the Response, the Message, or candidates[0].content."`
	CallIDPrefix string         `json:"call_id_prefix,omitempty" pattern:"^[A-Za-z0-9_-]{1,123}$" doc:"Begins the ids of its calls, so that the message can be sent again: the first is PREFIX-0."`
}

// Context is for whom calls run.
type Context struct {
	User         string `json:"user,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The person, who is asked where a person must decide."`
	Agent        string `json:"agent,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"The agent, whose record says which tools it may use."`
	Conversation string `json:"conversation,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"What decisions for a session hold for."`
}

// Call is one call. What is wrong with it fails it alone.
type Call struct {
	CallID       string    `json:"call_id,omitempty" pattern:"^[A-Za-z0-9_-]{1,128}$" doc:"Unique in the tenant: sent again, it never runs twice, but joins the call or has its result. Made when absent."`
	ToolCallID   string    `json:"tool_call_id,omitempty" maxLength:"256" doc:"The model provider's id, at most 256 bytes, given back as it is."`
	Tool         string    `json:"tool" maxLength:"64" doc:"The tool's name."`
	Arguments    Arguments `json:"arguments,omitempty" doc:"What the tool's parameters ask for, or a JSON string that holds it."`
	ConfirmToken string    `json:"confirm_token,omitempty" maxLength:"16384" doc:"A token that approves this call."`
	TimeoutMS    float64   `json:"timeout_ms,omitempty" minimum:"0" doc:"How long the call may take; the tool's own time counts too."`
}

// Arguments are an object, or a string that holds one.
type Arguments json.RawMessage

// Schema implements [huma.SchemaProvider].
func (Arguments) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeObject, AdditionalProperties: true}, {Type: huma.TypeString}}}
}

// ExecuteAnswer answers execute.
type ExecuteAnswer struct {
	TraceID  string           `json:"trace_id" doc:"The trace of the calls."`
	Results  []bus.Element    `json:"results" doc:"What came of each call, in the order asked."`
	Messages []map[string]any `json:"messages,omitempty" doc:"Where a message was sent and no call is pending: what to append for the model, in its provider's shape."`
}

// Event is the data of one server-sent event.
type Event struct {
	ID      string    `json:"id" doc:"Resumes the stream after this event, as Last-Event-ID."`
	Type    string    `json:"type" enum:"queued,started,progress,log,partial,awaiting_consent,resumed,done" doc:"The step; also the event's name in the stream."`
	Time    time.Time `json:"time" doc:"When it was."`
	TraceID string    `json:"trace_id" doc:"The trace of the call."`
	CallID  string    `json:"call_id" doc:"The call."`
	Tool    string    `json:"tool" doc:"The tool's name."`
	Data    any       `json:"data" doc:"What there is to say of it: of progress what the tool tells, of done the status and error_type."`
}

// ToolsAnswer is the native list, or the tools of a provider's format.
type ToolsAnswer struct{}

// Schema implements [huma.SchemaProvider].
func (ToolsAnswer) Schema(r huma.Registry) *huma.Schema {
	b := builder{schemas: r}
	return &huma.Schema{AnyOf: []*huma.Schema{b.schema(api.ToolList{}), b.schema(ProviderTools{})}}
}

// ProviderTools are tools as a model provider writes them.
type ProviderTools struct {
	Tools []map[string]any `json:"tools" doc:"Exactly what that provider's request takes as its tools."`
}

// Empty has nothing to say.
type Empty struct{}
