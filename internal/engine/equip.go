package engine

import "context"

// equip gives the call the ports its tool asks for, narrowed to what the gate
// let it reach.
func (e *Engine) equip(_ context.Context, j *Job) error {
	if err := e.deps.Ports.Fill(j, j.entry.Tool.Needs); err != nil {
		return err
	}
	j.Secrets = j.watch(j.Secrets)
	return nil
}
