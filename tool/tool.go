package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Tool is a definition together with its implementation.
type Tool struct {
	Definition
	// Needs are the ports that a call must carry.
	Needs Needs
	// Permissions are the permissions of a script that a model wrote, and Identity is
	// the script's name and version; both are empty for other tools.
	Permissions []string
	Identity    string
	// Adoption, if set, is asked once of each user of the tool.
	Adoption *Adoption
	// ApproverOnly is set if each call needs the approval of a person with the role
	// approver or admin, and no approval is remembered.
	ApproverOnly bool
	// Verbatim names parameters that a consent request shows in full, see [Spec].
	Verbatim []string
	// Loose names parameters whose schema is not enforced.
	Loose []string
	// ParameterAliases maps aliases of parameters to their names in Parameters.
	ParameterAliases map[string]string

	// pooled is set if the tool's author named its pool.
	pooled bool

	bind     func(args json.RawMessage) (Invocation, error)
	delegate func(args json.RawMessage) (string, json.RawMessage, error)
}

// Adoption asks a person whether to use a tool that somebody else made. An approval
// covers that person and Permission, for any duration the person chose.
type Adoption struct {
	// Permission identifies exactly one version of the tool.
	Permission string
	// Reason is one sentence for the person.
	Reason string
}

// Invocation is a tool bound to the arguments of one call.
type Invocation struct {
	// Mutates is set if this call can change something.
	Mutates bool
	// Idempotent is set if this call may run again after an interruption: repeating it does
	// no harm, or its changes are committed once.
	Idempotent bool
	// Question, if set, is answered by the person in place of Run.
	Question *Question
	// Uncertain, if set, returns how to find out whether the call happened.
	Uncertain func(call *Call) string
	// Check, if set, may refuse the call before a person is asked to approve it.
	Check func(ctx context.Context, call *Call) error
	// Changes, if set, returns the texts that the call replaces or removes.
	Changes func(ctx context.Context, call *Call) ([]Change, error)
	// Run does the work.
	Run func(ctx context.Context, call *Call) (Result, error)
}

// Bind decodes validated arguments (a JSON object) and returns the call ready
// to run. An error is the caller's fault: a validation_error.
func (t *Tool) Bind(args json.RawMessage) (Invocation, error) { return t.bind(args) }

// Delegates reports whether the tool only delegates to another tool.
func (t *Tool) Delegates() bool { return t.delegate != nil }

// Target returns the call that a delegating tool makes of these validated arguments.
func (t *Tool) Target(args json.RawMessage) (name string, arguments json.RawMessage, err error) {
	return t.delegate(args)
}

// New makes a tool of a definition and an untyped function, for tools that are not
// written as Go types: scripts, and programs in other languages.
func New(def Definition, needs Needs, run func(ctx context.Context, call *Call, args json.RawMessage) (Result, error)) (*Tool, error) {
	return NewUntyped(def, needs, Untyped{Run: run})
}

// Untyped is the implementation of a tool that is not written as a Go type. Its functions
// get the validated arguments, a JSON object.
type Untyped struct {
	Run func(ctx context.Context, call *Call, args json.RawMessage) (Result, error)
	// Check, if set, may refuse the call before a person is asked to approve it.
	Check func(ctx context.Context, call *Call, args json.RawMessage) error
	// Once is set if a call that changes something never runs again after an interruption,
	// although the definition is idempotent.
	Once bool
}

// NewUntyped is [New] for an implementation that is more than a function.
func NewUntyped(def Definition, needs Needs, u Untyped) (*Tool, error) {
	if err := check(&def); err != nil {
		return nil, err
	}
	t := &Tool{Definition: def, Needs: needs}
	t.bind = func(args json.RawMessage) (Invocation, error) {
		inv := Invocation{
			Mutates:    def.Mutates,
			Idempotent: def.Idempotent && !(u.Once && def.Mutates),
			Run: func(ctx context.Context, call *Call) (Result, error) {
				res, err := u.Run(ctx, call, args)
				return told(call, res), err
			},
		}
		if u.Check != nil {
			inv.Check = func(ctx context.Context, call *Call) error { return u.Check(ctx, call, args) }
		}
		return inv, nil
	}
	return t, nil
}

// MaxNameLength is the maximum length of a tool name, in bytes.
const MaxNameLength = 64

// namePattern describes the names that [ValidName] accepts, for errors.
const namePattern = `^[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z][a-zA-Z0-9_]*)*$`

// ValidName reports whether name is a valid tool name (docs/protocol.md, Names). It
// runs several times for each call, so it scans instead of matching namePattern.
func ValidName(name string) bool {
	if len(name) > MaxNameLength {
		return false
	}
	first := true // of a part between dots
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			first = false
		case first:
			return false
		case c == '.':
			first = true
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return !first
}

// check refuses a definition that could not be offered or run, and reports everything
// that is wrong with it.
func check(d *Definition) error {
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
	if r := d.ReadsWhen; r != nil && (!d.Mutates || r.Param == "" || len(r.Values) == 0) {
		bad("reads_when is for a tool that mutates, and needs a parameter and values")
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
