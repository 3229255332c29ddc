package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/helve-dev/helve/tool"
)

// lookup finds the tool and gives the call its real name, so that everything
// after it judges, counts and logs that one. A tool that is only a way to another
// is left behind here: the call becomes one of the other.
func (e *Engine) lookup(ctx context.Context, j *Job) error {
	if err := e.find(j); err != nil {
		if j.Inner {
			err = e.suggest(j, err)
		}
		return err
	}
	if !j.entry.Tool.Delegates() {
		return nil
	}
	if err := e.pass(ctx, j); err != nil {
		return err
	}
	if err := e.find(j); err != nil {
		return e.suggest(j, err)
	}
	if j.entry.Tool.Delegates() {
		return tool.Fail(tool.ValidationError, "'%s' cannot be called by way of another tool; call it directly", j.Name)
	}
	return nil
}

// suggest adds to the refusal of a name which ones there are that are like it:
// whoever calls by way of another tool may never have seen the list.
func (e *Engine) suggest(j *Job, err error) error {
	failure, ok := errors.AsType[*tool.Error](err)
	if !ok || failure.Kind != tool.ToolNotFound || e.deps.Near == nil {
		return err
	}
	near := e.deps.Near(j, j.Name)
	if len(near) == 0 {
		return err
	}
	return tool.Fail(failure.Kind, "%s; the nearest are %s", failure.Msg, strings.Join(near, ", ")).Because(failure.Cause)
}

func (e *Engine) find(j *Job) error {
	entry, err := e.deps.Catalog.Lookup(j.Tenant, j.Name)
	if err != nil {
		return err
	}
	j.entry = entry
	j.Tool = entry.Tool.Name
	return nil
}

// pass replaces the call by the one it stands for. The agent must have both.
func (e *Engine) pass(ctx context.Context, j *Job) error {
	if err := e.allow(ctx, j); err != nil {
		return err
	}
	if err := e.prepare(ctx, j); err != nil {
		return err
	}
	name, args, err := j.entry.Tool.Target(j.prepared)
	if err != nil {
		return err
	}
	j.SentHash() // of the call as it came
	j.way, j.Origin, j.Name, j.Args = j.entry, j.entry.Tool.Name, name, args
	j.hash, j.prepared, j.ignored = "", nil, nil
	return nil
}
