package connect

import (
	"context"
	"errors"

	"golang.org/x/sync/singleflight"
)

// flights runs a function once for all callers that want its outcome at a time. The zero
// value is ready for use.
type flights struct{ group singleflight.Group }

// cutShort is the error of a function whose caller's context ended.
type cutShort struct{ error }

// Unwrap returns the function's own error.
func (c cutShort) Unwrap() error { return c.error }

// do returns the outcome of run, which uses ctx, or that of a call of another caller. If the
// context of that caller ends first, the others do not fail with it: one of them calls run.
func (f *flights) do(ctx context.Context, key string, run func() ([]byte, error)) ([]byte, error) {
	for {
		got, err, _ := f.group.Do(key, func() (any, error) {
			value, err := run()
			if err != nil && ctx.Err() != nil {
				err = cutShort{err}
			}
			return value, err
		})
		if _, cut := errors.AsType[cutShort](err); cut && ctx.Err() == nil {
			continue
		}
		value, _ := got.([]byte)
		return value, err
	}
}
