package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Set is the tools of one package: one category, and one group but for tools that
// name another. Each file of the package adds its own tool with [Add].
type Set struct {
	category, group string
	tools           []*Tool
	names           map[string]bool
}

// NewSet returns an empty set. Category is the heading people read ("File
// System"), group the switch operators use ("filesystem").
func NewSet(category, group string) *Set {
	return &Set{category: category, group: group, names: map[string]bool{}}
}

// Group is the group of the set's tools.
func (s *Set) Group() string { return s.group }

// Tools returns the set's tools, by name.
func (s *Set) Tools() []*Tool {
	return slices.SortedFunc(slices.Values(s.tools), func(a, b *Tool) int { return cmp.Compare(a.Name, b.Name) })
}

// Add makes a tool of spec and puts it into s. It panics on a spec that can
// never work (no name, no risk, a duplicate), because that is a mistake in the
// source which the first test or start must show.
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
	result, err := resultSchemaOf[Result]()
	if err != nil {
		return nil, fmt.Errorf("tool %q: result: %w", spec.Name, err)
	}
	if spec.Run == nil && spec.Delegate == nil {
		return nil, fmt.Errorf("tool %q: Run is missing", spec.Name)
	}
	t := &Tool{
		Needs: spec.Needs, Verbatim: spec.Verbatim, Loose: spec.Loose,
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
			Destructive:          spec.Destructive,
			Idempotent:           spec.Idempotent,
			OpenWorld:            spec.OpenWorld,
			Scopes:               Scopes{orEmpty(spec.Scopes.Paths), orEmpty(spec.Scopes.Hosts), orEmpty(spec.Scopes.Apps)},
			RequiredPermissions:  orEmpty(spec.RequiredPermissions),
			TimeoutSeconds:       spec.Timeout.Seconds(),
			Limit:                spec.Limit,
			Tags:                 orEmpty(spec.Tags),
			Pool:                 cmp.Or(spec.Pool, "default"),
			Kind:                 KindBuiltin,
			Enabled:              true,
		},
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	t.bind = func(raw json.RawMessage) (Invocation, error) { return bind(&spec, raw) }
	if spec.Delegate != nil {
		t.delegate = func(raw json.RawMessage) (string, json.RawMessage, error) {
			var args Args
			if err := decodeArgs(raw, &args); err != nil {
				return "", nil, err
			}
			return spec.Delegate(args)
		}
	}
	return t, nil
}

// bind decodes raw into Args; the engine has validated it against the schema.
func bind[Args, Out any](spec *Spec[Args, Out], raw json.RawMessage) (Invocation, error) {
	var args Args
	if err := decodeArgs(raw, &args); err != nil {
		return Invocation{}, err
	}
	inv := Invocation{Mutates: spec.Mutates, Idempotent: spec.Idempotent}
	if spec.Mutates && spec.Reads != nil {
		inv.Mutates = !spec.Reads(args)
	}
	if !spec.Idempotent && spec.Repeats != nil {
		inv.Idempotent = spec.Repeats(args)
	}
	if spec.Check != nil {
		inv.Check = func(ctx context.Context, call *Call) error { return spec.Check(ctx, call, args) }
	}
	inv.Run = func(ctx context.Context, call *Call) (Result, error) {
		out, err := spec.Run(ctx, call, args)
		if err != nil {
			return Result{}, err
		}
		return encode(out)
	}
	return inv, nil
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
