package engine

import (
	"context"

	"github.com/helve-dev/helve/tool"
)

// vet lets the tool look at the arguments before anybody is asked about them: a
// person should not be asked about a call that cannot work. It has no more time
// than the call.
func (e *Engine) vet(ctx context.Context, j *Job) error {
	if j.invocation.Check == nil {
		return nil
	}
	looking, cancel := context.WithTimeout(ctx, j.allowed(e.deps.Now()))
	defer cancel()
	call := j.Call
	call.CustomTools = e.deps.CustomTools
	// Settings may forbid the call, this machine may be unable to run it, and what it is
	// about may not be in the store.
	if needs := j.entry.Tool.Needs & (tool.NeedSecrets | tool.NeedContainers | tool.NeedStore); needs != 0 {
		look := &Job{Call: j.Call, entry: j.entry, Within: j.Within}
		if err := e.deps.Ports.Fill(look, needs); err != nil {
			return err
		}
		call.Secrets, call.Containers, call.Store = j.watch(look.Secrets), look.Containers, look.Store
	}
	if err := j.invocation.Check(looking, &call); err != nil {
		if m := tool.MissingAccount(err); m != nil {
			return e.connect(ctx, j, m, err)
		}
		return crowded(j, err)
	}
	j.About, j.Shown, j.Risk = call.About, call.Shown, call.Risk
	return nil
}
