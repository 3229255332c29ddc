package dispatch

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/helve-dev/helve/internal/dispatch/results"
)

// Contains reports whether the arguments or the result of a call contain a text, in any case.
// It reads what the caller may see: arguments without their secrets and up to the size that
// is kept with a result, and results that are still stored and not too large for a message.
// The caller records the look.
func (d *Dispatcher) Contains(ctx context.Context, tenant, callID, text string) (bool, error) {
	stored, err := d.results.Find(ctx, results.Named(tenant, callID))
	if err != nil {
		return false, readError(err)
	}
	if stored == nil {
		return false, nil
	}
	el, err := glance(stored.Element)
	if err != nil || !mayLook(ctx, el.Owner) {
		return false, err
	}
	var told struct {
		Result  jsontext.Value `json:"result"`
		Message string         `json:"message"`
	}
	if err := json.Unmarshal(stored.Element, &told, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return false, err
	}
	arguments := d.hidden().Kept(tenant, el.user(), el.Tool, stored.Arguments)
	within := bytes.Join([][]byte{told.Result, []byte(told.Message), arguments}, []byte("\n"))
	return bytes.Contains(bytes.ToLower(within), bytes.ToLower([]byte(text))), nil
}
