package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Tool is a definition together with what runs it.
type Tool struct {
	Definition
	// Needs says which ports a call must carry.
	Needs Needs
	// Permissions are what the code of a script that a model wrote may do, and
	// Identity which version of which script it is; both are empty for others.
	Permissions []string
	Identity    string
	// Verbatim names parameters that a person who is asked is shown as they are.
	Verbatim []string
	// Loose names parameters whose schema is not enforced.
	Loose []string

	bind     func(args json.RawMessage) (Invocation, error)
	delegate func(args json.RawMessage) (string, json.RawMessage, error)
}

// Invocation is a tool bound to the arguments of one call.
type Invocation struct {
	// Mutates says that this call can change something.
	Mutates bool
	// Idempotent says that this call may run again after an interruption.
	Idempotent bool
	// Check, where there is one, may refuse the call before anybody is asked.
	Check func(ctx context.Context, call *Call) error
	// Run does the work.
	Run func(ctx context.Context, call *Call) (Result, error)
}

// Bind decodes validated arguments (a JSON object) and returns the call ready
// to run. An error is the caller's fault: a validation_error.
func (t *Tool) Bind(args json.RawMessage) (Invocation, error) { return t.bind(args) }

// Delegates reports whether the tool is only a way to another one.
func (t *Tool) Delegates() bool { return t.delegate != nil }

// Target is the call that a call with these validated arguments stands for, of a
// tool that delegates.
func (t *Tool) Target(args json.RawMessage) (name string, arguments json.RawMessage, err error) {
	return t.delegate(args)
}

// New makes a tool of a definition and an untyped function, for tools that are
// not written in Go types: scripts, and programs in other languages.
func New(def Definition, needs Needs, run func(ctx context.Context, call *Call, args json.RawMessage) (Result, error)) (*Tool, error) {
	if err := def.check(); err != nil {
		return nil, err
	}
	t := &Tool{Definition: def, Needs: needs}
	t.bind = func(args json.RawMessage) (Invocation, error) {
		return Invocation{
			Mutates:    def.Mutates,
			Idempotent: def.Idempotent,
			Run: func(ctx context.Context, call *Call) (Result, error) {
				return run(ctx, call, args)
			},
		}, nil
	}
	return t, nil
}

// MaxNameLength is the longest a tool name may be, in bytes.
const MaxNameLength = 64

var namePattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z][a-zA-Z0-9_]*)*$`)

// ValidName reports whether name can be a tool's name (PROTOCOL section 2).
func ValidName(name string) bool {
	return len(name) <= MaxNameLength && namePattern.MatchString(name)
}

// check refuses a definition that could not be offered or run, and says all
// that is wrong with it.
func (d *Definition) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !ValidName(d.Name) {
		bad("name must match %s and have at most %d bytes", namePattern, MaxNameLength)
	}
	for _, a := range d.Aliases {
		if !ValidName(a) {
			bad("alias %q is not a valid name", a)
		}
	}
	if d.Description == "" {
		bad("description is missing")
	}
	switch d.Risk {
	case Low, Medium, High:
	default:
		bad("risk must be low, medium or high, not %q", d.Risk)
	}
	switch d.Confirmation {
	case ConfirmNever, ConfirmIfDestructive, ConfirmAlways:
	default:
		bad("confirmation must be never, if_destructive or always, not %q", d.Confirmation)
	}
	if d.TimeoutSeconds <= 0 {
		bad("timeout must be above 0")
	}
	if l := d.Limit; l != nil && (l.Param == "" || l.Default < 1 || l.Max < l.Default) {
		bad("limit needs a parameter and 1 <= default <= max")
	}
	if !json.Valid(d.Parameters) {
		bad("parameters are not JSON")
	}
	if len(d.Example) > 0 && !isObject(d.Example) {
		bad("example is not a JSON object")
	}
	for _, kind := range d.Errors {
		if !slices.Contains(Kinds(), kind) {
			bad("errors: there is no kind %q", kind)
		}
	}
	if d.Destructive && !d.Mutates {
		bad("a destructive tool mutates")
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("tool %q: %w", d.Name, errors.Join(errs...))
}

func isObject(text json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object) == nil && object != nil
}
