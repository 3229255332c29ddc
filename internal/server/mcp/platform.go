package mcp

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/protocol"
	"github.com/helve-dev/helve/tool"
)

// Platform executes calls. Its errors concern the request as a whole and may be shown
// to the caller; the outcome of a call is in its [Outcome].
type Platform interface {
	// Tools returns the definitions in the caller's tool set that it may use, sorted by name.
	Tools(ctx context.Context, by Caller) ([]*tool.Definition, error)
	// Execute runs a call, or attaches to the call with its ID, until it is done,
	// awaits a person (unless ConsentWait), or Wait is over.
	Execute(ctx context.Context, by Caller, call Call) (Outcome, error)
	// Get returns the state of a call.
	Get(ctx context.Context, by Caller, callID string) (Outcome, error)
	// Program returns the progress of the program that a call is; an error for any other call.
	Program(ctx context.Context, by Caller, callID string) (Progress, error)
	// Cancel cancels a call; a call that is done keeps its result.
	Cancel(ctx context.Context, by Caller, callID string) error
	// Consent returns the question for a person.
	Consent(ctx context.Context, by Caller, consentID string) (Question, error)
	// Decide sends the answer on behalf of the caller's person.
	Decide(ctx context.Context, by Caller, consentID string, answer Answer) error
	// Files returns a page of the files of the caller's person, by path, and the cursor of
	// the next one.
	Files(ctx context.Context, by Caller, cursor string) (files []protocol.File, next string, err error)
	// File writes the contents of a file of the caller's person.
	File(ctx context.Context, by Caller, path string, into io.Writer) error
	// Events yields the stored events of a trace and then new ones, until ctx ends or
	// yield returns false.
	Events(ctx context.Context, by Caller, traceID string, yield func(Event) bool) error
}

// Caller is the identity of a client. By is its credential, if there is one; the names
// can only narrow it.
type Caller struct {
	By                        identity.Principal
	User, Agent, Conversation string
	// Toolset names the tool set that the caller is bound to; empty is all tools.
	Toolset string
	// Timezone is the IANA name of the person's time zone; empty is UTC.
	Timezone string
	// Session is set if the client can be asked on the connection of its call.
	Session bool
}

// Call is one tools/call.
type Call struct {
	ID string
	// Fresh is set if ID was made for this call and is not known to anybody yet.
	Fresh       bool
	TraceID     string
	Traceparent string
	Tool        string
	Arguments   json.RawMessage
	Wait        time.Duration
	ConsentWait bool
	// Priority is "interactive", "batch" or empty.
	Priority string
}

// Outcome is the state of a call: the fields of a result element (docs/protocol.md,
// execute) that a client sees.
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
	Notes     []string        `json:"notes"`
	Metadata  Metadata        `json:"metadata"`
	// Content are the blocks of a result that is more than a value.
	Content json.RawMessage `json:"content"`
	Ref     *struct {
		Size int64 `json:"size"`
	} `json:"result_ref"`
	// WaitingFor are the things that a program waits for.
	WaitingFor []protocol.ProgramWait `json:"waiting_for"`
	// Structured is set if the tool has a result schema that clients see.
	Structured bool `json:"-"`
	// Durable is set if the call is a program.
	Durable bool `json:"-"`
}

// Metadata is the part of the metadata of a result that a client sees.
type Metadata struct {
	// Files are the files of the workspace that the call wrote.
	Files []tool.WrittenFile `json:"files"`
	// ResultProblem is set if the result does not fit the tool's own result schema.
	ResultProblem string `json:"result_problem"`
}

// The values of Status and State that are distinguished here.
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
	Tool   string          `json:"tool"`
	Data   json.RawMessage `json:"data"`
}

// Question is the question to a person about a call.
type Question struct {
	Sentence string   `json:"sentence"` // what will happen
	Reason   string   `json:"reason"`
	Preview  string   `json:"preview"`
	Warnings []string `json:"warnings"`
	// Changes are the files that the call changes, with their contents.
	Changes   []protocol.Change `json:"changes"`
	ExpiresAt time.Time         `json:"expires_at"`
	// Question and Schema are set if the person is asked for an answer.
	Question string          `json:"question"`
	Schema   json.RawMessage `json:"schema"`
	// Service and ConnectURL are set if the person is asked to connect an account.
	Service    string `json:"service"`
	ConnectURL string `json:"connect_url"`
	// Program is the program whose step the call is, nil for none.
	Program *protocol.ConsentProgram `json:"program"`
}

// Answer is the person's decision. Remember is once, program, session or always.
type Answer struct {
	Grant    bool
	Remember string
	// Answer is the answer to a question, an object.
	Answer json.RawMessage
}
