package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model is a model of some provider, as used by a [Loop]. Package chat implements it
// for the formats that Helve supports.
type Model interface {
	// Format is the format of calls and results, as in [Request].Format.
	Format() string
	// User is a person's text as one item of a conversation.
	User(text string) json.RawMessage
	// Ask sends a conversation and the definitions of tools, as returned by
	// [Client.ToolsAs] in its format, or nil for none. It passes on the text of the
	// answer piece by piece as it arrives, and returns the complete answer. An error of
	// the provider is a [*ModelError].
	Ask(ctx context.Context, conversation []json.RawMessage, tools json.RawMessage, text func(piece string)) (Turn, error)
}

// Turn is a model's answer.
type Turn struct {
	// Message is the answer in the form of [Request].Message.
	Message json.RawMessage
	// Append is the answer as items of the conversation.
	Append []json.RawMessage
	// Text is the model's text for the person, or the reason of a refusal.
	Text string
	// Calls is the number of tool calls in the answer.
	Calls int
	// Refused is set if the model, or its provider, declined to answer. CutOff is set
	// if the answer reached the maximum length.
	Refused, CutOff bool
	// Tokens is the number of tokens read and written, if the provider reports it.
	Tokens int
}

// ModelError is a provider's failure to answer.
type ModelError struct {
	// Status is the HTTP status; 0 if there was none, or if a stream broke off.
	Status int
	// Temporary is set if a retry may help, after RetryAfter if that is set.
	Temporary  bool
	RetryAfter time.Duration
	Msg        string
	Cause      error
}

// Error returns the message.
func (e *ModelError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("the model's provider answered %d: %s", e.Status, e.Msg)
	}
	return "the model's provider: " + e.Msg
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Cause }
