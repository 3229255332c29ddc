package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Set is the tools of one package: one category, and one group except for tools that
// name another. Each file of the package adds its own tool with [Add].
type Set struct {
	category, group string
	tools           []*Tool
	names           map[string]bool
}

// NewSet returns an empty set. Category is the heading that people read ("File
// System"), group the toggle group for operators ("filesystem").
func NewSet(category, group string) *Set {
	return &Set{category: category, group: group, names: map[string]bool{}}
}

// Group returns the group of the set's tools.
func (s *Set) Group() string { return s.group }

// Category returns the heading that people read.
func (s *Set) Category() string { return s.category }

// Tools returns the set's tools, sorted by name.
func (s *Set) Tools() []*Tool {
	return slices.SortedFunc(slices.Values(s.tools), func(a, b *Tool) int { return cmp.Compare(a.Name, b.Name) })
}

// In returns a copy of the set in which tools whose Spec names no pool belong to the
// given pool.
func (s *Set) In(pool string) *Set {
	moved := &Set{category: s.category, group: s.group, names: s.names}
	for _, t := range s.tools {
		moved.tools = append(moved.tools, t.In(pool))
	}
	return moved
}

// In returns the tool if its Spec names a pool, otherwise a copy of it in the given
// pool.
func (t *Tool) In(pool string) *Tool {
	if t.pooled || t.Pool == pool {
		return t
	}
	moved := *t
	moved.Pool = pool
	return &moved
}

// Pooled reports whether the tool's Spec names its pool.
func (t *Tool) Pooled() bool { return t.pooled }

// Add makes a tool of spec and adds it to s. It panics on an invalid spec (no name, no
// risk, a duplicate), because that is an error in the source that the first test or
// start must show.
func Add[Args, Result any](s *Set, spec Spec[Args, Result]) *Tool {
	t, err := build(s, spec)
	if err != nil {
		panic(err)
	}
	for _, name := range append([]string{t.Name}, t.Aliases...) {
		if s.names[name] {
			panic(fmt.Errorf("tool %q: the name is taken in group %s", name, s.group))
		}
		s.names[name] = true
	}
	s.tools = append(s.tools, t)
	return t
}

func build[Args, Result any](s *Set, spec Spec[Args, Result]) (*Tool, error) {
	params, err := SchemaOf[Args]()
	if err != nil {
		return nil, fmt.Errorf("tool %q: arguments: %w", spec.Name, err)
	}
	aliases, err := parameterAliases(reflect.TypeFor[Args]())
	if err != nil {
		return nil, fmt.Errorf("tool %q: arguments: %w", spec.Name, err)
	}
	result, err := resultSchemaOf[Result]()
	if err != nil {
		return nil, fmt.Errorf("tool %q: result: %w", spec.Name, err)
	}
	if err := spec.complete(); err != nil {
		return nil, fmt.Errorf("tool %q: %w", spec.Name, err)
	}
	t := &Tool{
		Needs: spec.Needs, Verbatim: spec.Verbatim, Loose: spec.Loose, ApproverOnly: spec.ApproverOnly, ParameterAliases: aliases,
		Definition: Definition{
			Name:                 spec.Name,
			Description:          spec.Description,
			Category:             s.category,
			Group:                cmp.Or(spec.Group, s.group),
			Version:              cmp.Or(spec.Version, "1"),
			Aliases:              spec.Aliases,
			Parameters:           params,
			ResultSchema:         result,
			Errors:               spec.Errors,
			Example:              rawOrNil(spec.Example),
			Risk:                 spec.Risk,
			Confirmation:         cmp.Or(spec.Confirmation, ConfirmIfDestructive),
			RequiresConfirmation: spec.RequiresConfirmation,
			Mutates:              spec.Mutates,
			ReadsWhen:            spec.ReadsWhen,
			Destructive:          spec.Destructive,
			Idempotent:           spec.Idempotent,
			Transactional:        spec.Transactional,
			OpenWorld:            spec.OpenWorld,
			Durable:              spec.Durable,
			Scopes:               Scopes{Paths: orEmpty(spec.Scopes.Paths), Hosts: orEmpty(spec.Scopes.Hosts), Apps: orEmpty(spec.Scopes.Apps)},
			RequiredPermissions:  orEmpty(spec.RequiredPermissions),
			TimeoutSeconds:       spec.Timeout.Seconds(),
			Limit:                spec.Limit,
			Tags:                 orEmpty(spec.Tags),
			Pool:                 cmp.Or(spec.Pool, "default"),
			Kind:                 KindBuiltin,
			Enabled:              true,
		},
	}
	if err := check(&t.Definition); err != nil {
		return nil, err
	}
	t.pooled = spec.Pool != ""
	t.bind = func(raw json.RawMessage) (Invocation, error) { return bind(&spec, raw) }
	if spec.Delegate != nil {
		t.delegate = delegation(spec.Delegate)
	}
	return t, nil
}

// complete returns an error if fields are missing that others need.
func (s *Spec[Args, Result]) complete() error {
	switch {
	case s.Run == nil && s.Delegate == nil && s.Question == nil:
		return errors.New("Run is missing") //nolint:staticcheck // the name of a field
	case s.ReadsWhen != nil && s.Reads == nil:
		return errors.New("ReadsWhen needs Reads, which decides")
	case s.Transactional && !(s.Mutates && s.Needs.Has(NeedStore)):
		return errors.New("a transactional tool mutates and needs NeedStore")
	}
	return nil
}

// delegation returns a delegate of a tool for arguments that are not decoded.
func delegation[Args any](to func(Args) (string, json.RawMessage, error)) func(json.RawMessage) (string, json.RawMessage, error) {
	return func(raw json.RawMessage) (string, json.RawMessage, error) {
		var args Args
		if err := decodeArgs(raw, &args); err != nil {
			return "", nil, err
		}
		return to(args)
	}
}

// bind decodes raw into Args; the engine has validated it against the schema.
func bind[Args, Out any](spec *Spec[Args, Out], raw json.RawMessage) (Invocation, error) {
	var args Args
	if err := decodeArgs(raw, &args); err != nil {
		return Invocation{}, err
	}
	inv := Invocation{Mutates: spec.Mutates, Idempotent: spec.Idempotent || spec.Transactional}
	if spec.Mutates && spec.Reads != nil {
		inv.Mutates = !spec.Reads(args)
	}
	if !inv.Idempotent && spec.Repeats != nil {
		inv.Idempotent = spec.Repeats(args)
	}
	if spec.Check != nil {
		inv.Check = func(ctx context.Context, call *Call) error { return spec.Check(ctx, call, args) }
	}
	if spec.Changes != nil {
		inv.Changes = func(ctx context.Context, call *Call) ([]Change, error) { return spec.Changes(ctx, call, args) }
	}
	if spec.Uncertain != nil {
		inv.Uncertain = func(call *Call) string { return spec.Uncertain(call, args) }
	}
	if spec.Question != nil {
		q, err := spec.Question(args)
		if err != nil {
			return Invocation{}, err
		}
		inv.Question = &q
		inv.Run = unanswered
		return inv, nil
	}
	inv.Run = func(ctx context.Context, call *Call) (Result, error) {
		out, err := spec.Run(ctx, call, args)
		if err != nil {
			return Result{Usage: call.usage}, err
		}
		res, err := encode(out)
		return told(call, res), err
	}
	return inv, nil
}

// told adds to a result what the tool noted on its call.
func told(call *Call, res Result) Result {
	res.Notes = append(call.notes, res.Notes...)
	if res.Usage = call.usage; len(res.Usage) > 0 {
		res.Metadata = maps.Clone(res.Metadata)
		if res.Metadata == nil {
			res.Metadata = map[string]any{}
		}
		res.Metadata["usage"] = summed(res.Usage)
	}
	return res
}

// unanswered returns an error: it is the Run of a question that no person was asked.
func unanswered(context.Context, *Call) (Result, error) {
	return Result{}, Fail(ConfirmationRequired, "a person must answer this question, and there is nobody here to ask")
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func rawOrNil(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}
