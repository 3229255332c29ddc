package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/helve-dev/helve/tool"
)

// transactionTries bounds how often a transaction runs when calls change the same documents.
const transactionTries = 8

// Transaction implements [tool.Store].
func (u *Unit) Transaction(ctx context.Context, change func(tool.Store) error) error {
	var err error
	for range transactionTries {
		own := u.s.For(u.person.tenant, u.person.name, "", u.attempt)
		if err = change(own); err != nil {
			return err
		}
		if _, err = own.Commit(ctx, tool.Result{Value: json.RawMessage("null")}); !errors.Is(err, ErrStale) {
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
