package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helve-dev/helve/internal/lib/backoff"
	"github.com/helve-dev/helve/tool"
)

// Transaction implements [tool.Store]. It runs again while calls change the same documents,
// until the wait of the store or ctx ends.
func (u *Unit) Transaction(ctx context.Context, change func(tool.Store) error) error {
	wait, cancel := context.WithTimeout(ctx, u.s.opts.Wait)
	defer cancel()
	var err error
	for runs := 1; ; runs++ {
		own := u.s.For(u.person.tenant, u.person.name, "", u.attempt)
		if err = change(own); err != nil {
			return err
		}
		if _, err = own.Commit(ctx, tool.Result{Value: json.RawMessage("null")}); !errors.Is(err, ErrStale) {
			break
		}
		if !backoff.Wait(wait, runs) {
			break
		}
	}
	switch {
	case errors.Is(err, ErrStale):
		return tool.Fail(tool.Overloaded, "other calls keep changing the same data; nothing was changed; try again").Because(err)
	case errors.Is(err, ErrUncertain):
		return tool.Fail(tool.Overloaded, "the database did not answer, so it is not known whether the data was stored").Because(err)
	}
	return err
}
