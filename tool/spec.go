package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Spec is a tool as its author writes it. Args and Result are structs (or any
// type encoding/json handles); the schema of the parameters is read from Args,
// see [SchemaOf] for the tags. Risk, Mutates and Timeout must be written out,
// so that nobody forgets them.
type Spec[Args, Result any] struct {
	// Name is the tool's unique name, snake_case.
	Name string
	// Description is one sentence for the model: what the tool does, when to
	// use it, what it returns.
	Description string
	// Aliases are old names; a call by one runs the tool.
	Aliases []string
	// Version of the definition; "1" if empty.
	Version string
	// Tags help people and models to find the tool; no model is sent them.
	Tags []string
	// Group is the switch the tool hangs on, where that is not its set's.
	Group string
	// Pool names the workers that run it; "default" if empty.
	Pool string
	// Errors are the kinds its Run, its Check and its ports fail with, beside what
	// can befall any call (see [Universal]); tests hold it to them.
	Errors []Kind
	// Example is the arguments of a typical call, a JSON object: the
	// documentation shows it with its real answer, help shows it to models.
	Example string

	Risk Risk
	// Confirmation is if_destructive when empty.
	Confirmation         Confirmation
	RequiresConfirmation bool

	// Mutates says that the tool can change something outside itself.
	Mutates bool
	// Reads, where set, reports that a call with these arguments changes
	// nothing although the tool can.
	Reads func(Args) bool
	// Destructive says that what it changes cannot be undone.
	Destructive bool
	// Idempotent says that running a call twice is the same as once: such a
	// call runs again after a worker died in it.
	Idempotent bool
	// Repeats, where set, reports that a call with these arguments is
	// idempotent although the tool as a whole is not.
	Repeats func(Args) bool
	// OpenWorld says that it deals with the world outside the platform.
	OpenWorld bool

	// Verbatim names parameters that a person who is asked about a call is shown
	// whole and unchanged, such as code: nothing in them is taken for a secret.
	Verbatim []string
	// Loose names parameters whose schema is shown and not enforced: Args reads them
	// with an UnmarshalJSON of its own, and the tool answers for what is wrong in them.
	Loose []string

	Scopes              Scopes
	RequiredPermissions []string
	Needs               Needs
	// Timeout is the longest a call may run.
	Timeout time.Duration
	Limit   *Limit

	// Check, where set, says what the schema cannot: it looks at the arguments
	// before anybody is asked whether the call may run. It must be quick and
	// change nothing; of the ports, the call carries CustomTools, and Secrets and
	// Containers if the tool needs them.
	Check func(ctx context.Context, call *Call, args Args) error
	// Delegate, where set, makes this tool a way to another one: the call becomes
	// a call of what it returns, is judged as that, and Run is never used.
	Delegate func(args Args) (name string, arguments json.RawMessage, err error)

	// Run does the work. It must return soon after ctx ends.
	Run func(ctx context.Context, call *Call, args Args) (Result, error)
}
