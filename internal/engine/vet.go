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
	ctx, cancel := context.WithTimeout(ctx, j.allowed(e.deps.Now()))
	defer cancel()
	call := j.Call
	call.CustomTools = e.deps.CustomTools
	// Settings may say that it may never run, and a machine that it cannot.
	if needs := j.entry.Tool.Needs & (tool.NeedSecrets | tool.NeedContainers); needs != 0 {
		look := &Job{Call: j.Call, entry: j.entry, Within: j.Within}
		if err := e.deps.Ports.Fill(look, needs); err != nil {
			return err
		}
		call.Secrets, call.Containers = look.Secrets, look.Containers
	}
	if err := j.invocation.Check(ctx, &call); err != nil {
		return err
	}
	j.About = call.About
	return nil
}
