package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// Entry is a tool that is ready to be called.
type Entry struct {
	Tool   *tool.Tool
	Schema Schema
	// Reserve, where set, waits for the room that the tool takes while it runs. The error
	// is a *tool.Error: overloaded where there was none in time.
	Reserve func(ctx context.Context, call *tool.Call) (Room, error)

	shape shape
}

// Schema checks the arguments of a tool, as [schema.Schema] does.
type Schema interface {
	Prepare(raw []byte) (schema.Prepared, error)
	Near(name string) string
}

// NewEntry compiles the schema of t. The parameter of the tool's limit is left
// to the limit stage, which takes any value, and loose ones to the tool. The error
// names the fault of the schema.
func NewEntry(t *tool.Tool) (*Entry, error) {
	s, err := compile(t)
	if err != nil {
		return nil, err
	}
	return &Entry{Tool: t, Schema: s}, nil
}

// Judged returns the arguments of a call as the policy judges them, with their defaults,
// and whether the call can change something. It runs nothing.
func (e *Entry) Judged(raw []byte) (args json.RawMessage, mutates bool, err error) {
	prepared, err := e.Schema.Prepare(raw)
	if err != nil {
		return nil, false, err
	}
	bound, err := e.Tool.Bind(prepared.Args)
	return prepared.Args, bound.Mutates, err
}

// NewLazyEntry compiles the schema of t when the tool is called first: a compiled schema
// takes a tenth of a millisecond and tens of kilobytes, which thousands of tools that are
// never called need not cost. The author of the tool must know that the schema compiles.
func NewLazyEntry(t *tool.Tool) *Entry {
	return &Entry{Tool: t, Schema: lazySchema{sync.OnceValues(func() (*schema.Schema, error) { return compile(t) })}}
}

// lazySchema is a schema that is compiled by its first use.
type lazySchema struct {
	compiled func() (*schema.Schema, error)
}

// Prepare implements [Schema].
func (l lazySchema) Prepare(raw []byte) (schema.Prepared, error) {
	s, err := l.compiled()
	if err != nil {
		return schema.Prepared{}, err
	}
	return s.Prepare(raw)
}

// Near implements [Schema].
func (l lazySchema) Near(name string) string {
	s, err := l.compiled()
	if err != nil {
		return ""
	}
	return s.Near(name)
}

func compile(t *tool.Tool) (*schema.Schema, error) {
	var options []schema.Option
	if t.Limit != nil {
		options = append(options, schema.Free(t.Limit.Param))
	}
	for _, name := range t.Loose {
		options = append(options, schema.Free(name))
	}
	for alias, name := range t.ParameterAliases {
		options = append(options, schema.Alias(alias, name))
	}
	s, err := schema.Compile(t.Parameters, options...)
	if err != nil {
		return nil, fmt.Errorf("tool %q: parameters: %w", t.Name, err)
	}
	return s, nil
}
