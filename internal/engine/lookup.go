package engine

import "context"

// lookup finds the tool and gives the call its real name, so that everything
// after it judges, counts and logs that one.
func (e *Engine) lookup(_ context.Context, j *Job) error {
	entry, err := e.deps.Catalog.Lookup(j.Tenant, j.Name)
	if err != nil {
		return err
	}
	j.entry = entry
	j.Tool = entry.Tool.Name
	return nil
}
