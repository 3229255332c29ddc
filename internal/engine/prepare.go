package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// prepare validates the arguments and fills in their defaults. Nothing is
// coerced.
func (e *Engine) prepare(_ context.Context, j *Job) error {
	p, err := j.entry.Schema.Prepare(j.Given())
	if err != nil {
		if bad, ok := errors.AsType[*schema.Invalid](err); ok {
			return j.misfit(bad)
		}
		return err
	}
	j.prepared, j.unknown = p.Args, p.Ignored
	if len(p.Ignored) > 0 {
		j.ignored = slices.Concat(j.ignored, p.Ignored) // some may be of the way here
		j.noteIgnored()
	}
	return nil
}

// misfit is the error for arguments that the schema refuses. Where a parameter is
// missing or unknown it ends with those that the tool takes.
func (j *Job) misfit(bad *schema.Invalid) *tool.Error {
	var said strings.Builder
	said.WriteString(cmp.Or(bad.Error(), "the arguments do not fit the tool's parameters"))
	unknown := bad.Ignored
	if !j.Definition().Mutates {
		unknown = nil
	}
	for _, name := range unknown {
		said.WriteString("; " + schema.UnknownParameter(name, j.entry.Schema.Near(name)))
	}
	switch {
	case j.delegator != nil: // its caller need not have seen what the tool takes
		said.WriteString(takes(j.entry.Tool))
	case bad.Parameters || len(unknown) > 0:
		said.WriteString("; " + tool.ParameterSummary(j.Definition().Parameters))
	}
	return tool.Fail(tool.ValidationError, "%s", said.String())
}

// Check returns the error with which a call of the tool would end because of its arguments.
func (e *Entry) Check(args []byte) error {
	p, err := e.Schema.Prepare(args)
	var said []string
	if bad, ok := errors.AsType[*schema.Invalid](err); ok {
		p.Ignored = bad.Ignored
		if text := bad.Error(); text != "" {
			said = append(said, text)
		}
	} else if err != nil {
		return err
	}
	if e.Tool.Mutates {
		for _, name := range p.Ignored {
			said = append(said, schema.UnknownParameter(name, e.Schema.Near(name)))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return tool.Fail(tool.ValidationError, "%s; %s", strings.Join(said, "; "), tool.ParameterSummary(e.Tool.Parameters))
}

// refuseUnknown ends a call that changes something and has parameters which its tool
// does not take: what the caller meant by them would not happen.
func (j *Job) refuseUnknown() error {
	if len(j.unknown) == 0 || !j.invocation.Mutates {
		return nil
	}
	var all []string
	for _, name := range j.unknown[:min(len(j.unknown), maxNotes)] {
		all = append(all, schema.UnknownParameter(name, j.entry.Schema.Near(name)))
	}
	return tool.Fail(tool.ValidationError, "%s; %s", strings.Join(all, "; "), tool.ParameterSummary(j.Definition().Parameters))
}
