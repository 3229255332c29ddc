package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/helve-dev/helve/internal/schema"
	"github.com/helve-dev/helve/tool"
)

// prepare validates the arguments and fills in their defaults. Nothing is
// coerced.
func (e *Engine) prepare(_ context.Context, j *Job) error {
	p, err := j.entry.Schema.Prepare(j.given())
	if err != nil {
		if bad, ok := errors.AsType[*schema.Invalid](err); ok {
			said := cmp.Or(bad.Error(), "the arguments do not fit the tool's parameters")
			if j.way != nil { // its caller need not have seen what the tool takes
				said += takes(j.entry.Tool)
			}
			return tool.Fail(tool.ValidationError, "%s", said)
		}
		return err
	}
	j.prepared, j.ignored = p.Args, slices.Concat(j.ignored, p.Ignored) // some may be of the way here
	return nil
}
