package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/tool"
)

// Platform is what calls go to. An error of it is about the request as a whole and
// may be shown to the caller; how a call ended is in its [Outcome].
type Platform interface {
	// Tools returns the definitions the caller may use, by name.
	Tools(ctx context.Context, by Caller) ([]*tool.Definition, error)
	// Execute runs a call, or joins the one with its id, until it is done, awaits a
	// person (unless ConsentWait), or Wait is over.
	Execute(ctx context.Context, by Caller, call Call) (Outcome, error)
	// Get returns how a call stands.
	Get(ctx context.Context, by Caller, callID string) (Outcome, error)
	// Cancel cancels a call; one that is done stays as it is.
	Cancel(ctx context.Context, by Caller, callID string) error
	// Consent returns what a person is asked.
	Consent(ctx context.Context, by Caller, consentID string) (Question, error)
	// Decide answers it, as the person the caller stands for.
	Decide(ctx context.Context, by Caller, consentID string, answer Answer) error
	// Events yields what happens in a trace, as far as it is known and then as it
	// happens, until ctx ends or yield returns false.
	Events(ctx context.Context, by Caller, traceID string, yield func(Event) bool) error
}

// Caller is who asks. Where there is a credential By is what it says and the names
// can only narrow it.
type Caller struct {
	By                        identity.Principal
	User, Agent, Conversation string
	// Session says that the client can be asked on the connection its call came by.
	Session bool
}

// Call is one tools/call.
type Call struct {
	ID string
	// Fresh says that ID was made for this call and is known to nobody yet.
	Fresh       bool
	TraceID     string
	Traceparent string
	Tool        string
	Arguments   json.RawMessage
	Wait        time.Duration
	ConsentWait bool
}

// Outcome is how a call stands: the fields of a result element (PROTOCOL section 4)
// that a client is told.
type Outcome struct {
	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Status    string          `json:"status"`
	State     string          `json:"state"`
	ConsentID string          `json:"consent_id"`
	Result    json.RawMessage `json:"result"`
	Text      string          `json:"text"`
	ErrorType string          `json:"error_type"`
	Message   string          `json:"message"`
	Ref       *struct {
		Size int64 `json:"size"`
	} `json:"result_ref"`
	// Structured says that the tool has a result schema that clients are told.
	Structured bool `json:"-"`
}

// The values of Status and State that are told apart here.
const (
	success  = "success"
	pending  = "pending"
	awaiting = "awaiting_consent"
)

func (o Outcome) asks() bool { return o.Status == pending && o.State == awaiting && o.ConsentID != "" }

// Event is one step of a call.
type Event struct {
	Type   string          `json:"type"`
	CallID string          `json:"call_id"`
	Data   json.RawMessage `json:"data"`
}

// Question is what a person is asked about a call.
type Question struct {
	Tool      string    `json:"tool"`
	Reason    string    `json:"reason"`
	Preview   string    `json:"preview"`
	Warnings  []string  `json:"warnings"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Answer is what the person said. Remember is once, session or always.
type Answer struct {
	Grant    bool
	Remember string
}
