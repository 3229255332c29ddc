package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Spec is a tool as its author writes it. Args and Result are structs (or any type
// encoding/json handles); the schema of the parameters is derived from Args, see
// [SchemaOf] for the tags. Risk, Mutates and Timeout must be written out, so that none
// is forgotten.
type Spec[Args, Result any] struct {
	// Name is the tool's unique name, snake_case.
	Name string
	// Description is one sentence for the model: what the tool does, when to
	// use it, what it returns.
	Description string
	// Aliases are former names; a call by an alias runs the tool.
	Aliases []string
	// Version of the definition; "1" if empty.
	Version string
	// Tags help people and models to find the tool; they are not sent to models.
	Tags []string
	// Group is the toggle group the tool belongs to; defaults to its set's group.
	Group string
	// Pool is the pool of workers that run the tool. It defaults to the pool of the
	// worker program: "default" for Helve's own, and for others a pool named after
	// their module.
	Pool string
	// Errors are the kinds that its Run, its Check and its ports fail with, besides
	// those of any call (see [Universal]); tests enforce the list.
	Errors []Kind
	// Example is the arguments of a typical call, a JSON object. The documentation
	// shows it with its real answer, and help shows it to models.
	Example string

	Risk Risk
	// Confirmation is if_destructive when empty.
	Confirmation         Confirmation
	RequiresConfirmation bool

	// Mutates is set if the tool can change something outside itself.
	Mutates bool
	// Reads, if set, reports whether a call with these arguments changes nothing
	// although the tool can.
	Reads func(Args) bool
	// ReadsWhen, if set, describes the calls for which Reads returns true by one parameter.
	// Dispatchers expect that such a call changes nothing and hand it over faster; a worker
	// still asks Reads.
	ReadsWhen *ReadsWhen
	// Destructive is set if its changes cannot be undone.
	Destructive bool
	// Idempotent is set if running a call twice has the effect of running it once: such
	// a call is run again if a worker died while running it.
	Idempotent bool
	// Repeats, if set, reports whether a call with these arguments is idempotent
	// although the tool as a whole is not.
	Repeats func(Args) bool
	// Uncertain, if set, returns how to find out whether a call happened, as the last clause
	// of the message of a call whose outcome is unknown. The call has no ports.
	Uncertain func(call *Call, args Args) string
	// Transactional is set if all that the tool changes is in call.Store: the changes
	// are committed with the result, once, so an interrupted call is run again.
	Transactional bool
	// OpenWorld is set if the tool deals with the world outside the platform.
	OpenWorld bool
	// Durable is set if the tool runs its call by call.Durable, as a program.
	Durable bool

	// Verbatim names parameters that a consent request shows in full, such as code:
	// nothing in them, at any depth, is redacted as a secret by its name or its form.
	// What may deceive a reader is still marked.
	Verbatim []string
	// Loose names parameters whose schema is shown and not enforced: Args decodes them
	// with its own UnmarshalJSON, which must validate them.
	Loose []string

	// ApproverOnly is set if each call needs the approval of an approver or admin.
	ApproverOnly bool

	Scopes              Scopes
	RequiredPermissions []string
	Needs               Needs
	// Timeout is the longest time a call may run.
	Timeout time.Duration
	Limit   *Limit

	// Check, if set, validates what the schema cannot express, before a person is asked
	// to approve the call. It must be quick and change nothing; of the ports, the call
	// has CustomTools, and Secrets, Containers and Store if the tool needs them.
	Check func(ctx context.Context, call *Call, args Args) error
	// Changes, if set, returns the texts that the call replaces or removes. A person who is
	// asked about the call is shown the difference, and an approval holds only as long as
	// nobody else changes them. It is used when a person is asked, not for each call. It must be quick
	// and change nothing; of the ports, the call has CustomTools, and Files if the tool needs
	// them.
	Changes func(ctx context.Context, call *Call, args Args) ([]Change, error)
	// Delegate, if set, makes this tool an alias for calls of other tools: the call
	// becomes a call of the returned tool and is authorized as that. Run is not used.
	Delegate func(args Args) (name string, arguments json.RawMessage, err error)

	// Question, if set, makes this tool a question to the person: the call is parked,
	// and the person's answer is its result. Run is not used. An error is the caller's
	// fault.
	Question func(args Args) (Question, error)

	// Run does the work. It must return soon after ctx ends.
	Run func(ctx context.Context, call *Call, args Args) (Result, error)
}
