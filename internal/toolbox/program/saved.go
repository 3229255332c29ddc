package program

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/durable"
	"github.com/helve-dev/helve/internal/engine"
	"github.com/helve-dev/helve/tool"
)

// Kept returns the durable tool that the program of a job began with; nil if it has not begun, or
// is none. The code of it comes with the turn.
func (p *Programs) Kept(ctx context.Context, j *engine.Job) (*tool.Tool, error) {
	a, err := p.Dispatchers.Ask(ctx, peer.ProgramRequest{Do: peer.ProgramSaved, Tenant: j.Tenant, CallID: j.ID, Key: j.Key})
	if err != nil || a.Saved == nil {
		return nil, err
	}
	saved := new(durable.Saved)
	if err := json.Unmarshal(a.Saved, saved); err != nil {
		return nil, fmt.Errorf("durable tool of a program: %w", err)
	}
	run := func(ctx context.Context, call *tool.Call, args json.RawMessage) (tool.Result, error) {
		return call.Durable.Run(ctx, call, tool.DurableCode{Input: args, Args: true})
	}
	t, err := tool.New(saved.Definition, tool.NeedDurable, run)
	if err != nil {
		return nil, err
	}
	t.Identity = saved.Identity
	return t, nil
}

// saved returns the durable tool that a first turn begins with; nil for run_program, and for a
// tool that was kept.
func (r *runner) saved(code tool.DurableCode) (json.RawMessage, error) {
	if !code.Args || code.Code == "" {
		return nil, nil
	}
	return json.Marshal(durable.Saved{Definition: *r.job.Definition(), Identity: r.job.Entry().Tool.Identity, Code: code.Code})
}

// begunWith replaces the code of a durable tool by the code that its program began with.
func begunWith(code *tool.DurableCode, raw json.RawMessage) error {
	if !code.Args {
		return nil
	}
	saved := new(durable.Saved)
	if err := json.Unmarshal(raw, saved); err != nil || saved.Code == "" {
		return tool.Fail(tool.ExecutionError, "the code of the program is not stored any more; make the call again").Because(err)
	}
	code.Code, code.Tools = saved.Code, append([]string{}, saved.Definition.Tools...)
	return nil
}
