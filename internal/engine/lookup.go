package engine

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// lookup finds the tool and gives the call its real name, so that everything
// after it judges, counts and logs that one. A tool that is only a way to another
// is left behind here: the call becomes one of the other.
func (e *Engine) lookup(ctx context.Context, j *Job) error {
	if err := e.find(j); err != nil {
		return err
	}
	if !j.entry.Tool.Delegates() {
		return nil
	}
	if err := e.pass(ctx, j); err != nil {
		return err
	}
	if err := e.find(j); err != nil {
		return err
	}
	if j.entry.Tool.Delegates() {
		return tool.Fail(tool.ValidationError, "'%s' cannot be called by way of another tool; call it directly", j.Name)
	}
	return nil
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
