package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// prepare validates the arguments and fills in their defaults. Nothing is
// coerced.
func (e *Engine) prepare(_ context.Context, j *Job) error {
	p, err := j.entry.Schema.Prepare(j.Args)
	if err != nil {
		if bad, ok := errors.AsType[*schema.Invalid](err); ok {
			return tool.Fail(tool.ValidationError, "%s", cmp.Or(bad.Error(), "the arguments do not fit the tool's parameters"))
		}
		return err
	}
	j.prepared, j.ignored = p.Args, p.Ignored
	return nil
}
