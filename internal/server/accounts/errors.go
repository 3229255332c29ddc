package accounts

import (
	"errors"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/server/api"
	"github.com/helve-dev/helve/internal/server/data"
	"github.com/helve-dev/helve/tool"
)

// told returns an error as callers see it.
func told(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	if e.Kind == tool.PermissionDenied {
		return api.Forbidden("%s", e.Msg)
	}
	return data.Refusal(peer.DataAnswer{Kind: string(e.Kind), Message: e.Msg})
}

// toldPerson returns an error as people see it who connect an account: what a provider has
// answered concerns them.
func toldPerson(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	switch e.Kind {
	case tool.ExecutionError:
		return api.BadRequest("%s", e.Msg)
	case tool.NetworkError, tool.Timeout:
		return api.Unavailable("%s", e.Msg)
	default:
		return told(err)
	}
}
