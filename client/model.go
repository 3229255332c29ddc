package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model is a model of some provider, as a [Loop] talks to it. Package chat has those
// of the formats that Helve knows.
type Model interface {
	// Format is how it writes calls and reads results, as [Request].Format has it.
	Format() string
	// User is a person's text as one item of a conversation.
	User(text string) json.RawMessage
	// Ask sends a conversation and the definitions of tools, which are those of
	// [Client.ToolsAs] in its format or nil for none. It hands on the text of the
	// answer piece by piece as it comes, and returns the whole. An error of the
	// provider is a [*ModelError].
	Ask(ctx context.Context, conversation []json.RawMessage, tools json.RawMessage, text func(piece string)) (Turn, error)
}

// Turn is what a model answered.
type Turn struct {
	// Message is the answer as [Request].Message takes it.
	Message json.RawMessage
	// Append is the answer as items of the conversation.
	Append []json.RawMessage
	// Text is what it says to the person, or why it refuses.
	Text string
	// Calls is how many calls of tools it makes.
	Calls int
	// Refused says that the model, or its provider, declined to answer. CutOff says
	// that the answer ends where it may grow no longer.
	Refused, CutOff bool
	// Tokens is what the turn cost, read and written, as far as the provider says.
	Tokens int
}

// ModelError is a provider's failure to answer.
type ModelError struct {
	// Status is that of HTTP; 0 where none came, or where a stream broke off.
	Status int
	// Temporary says that asking again may help, after RetryAfter if that is set.
	Temporary  bool
	RetryAfter time.Duration
	Msg        string
	Cause      error
}

// Error returns the sentence.
func (e *ModelError) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("the model's provider answered %d: %s", e.Status, e.Msg)
	}
	return "the model's provider: " + e.Msg
}

// Unwrap returns the cause.
func (e *ModelError) Unwrap() error { return e.Cause }
