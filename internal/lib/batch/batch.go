// Package batch creates several things of one call: all of them or none, or each by
// itself.
//
// It promises one outcome for each item, in their order. Nothing is created before every
// item was checked where all or none are wanted.
package batch

import (
	"encoding/json"
	"fmt"

	"github.com/helve-dev/helve/tool"
)

// MaxItems bounds the items of one call.
const MaxItems = 100

// Outcome is the result of one item, where each is created by itself.
type Outcome struct {
	Status    string `json:"status" enum:"success,error"`
	ID        string `json:"id,omitempty" doc:"The id of what was created."`
	ErrorType string `json:"error_type,omitempty" doc:"The kind of the error."`
	Message   string `json:"message,omitempty" doc:"Why the item was not created."`
}

// Decode decodes one item. An error is the item's, and does not keep others from being
// decoded.
func Decode[T any](data []byte, into *T) error {
	return misfit(data, json.Unmarshal(data, into), func(member []byte) error { return json.Unmarshal(member, new(T)) })
}

// Create calls create for each of n items, after check has passed it. If atomic is set
// the first error ends it, naming the item; otherwise each item has an outcome.
// A validation_error of create is that of the item; any other ends it in any case.
func Create(n int, atomic bool, check func(i int) error, create func(i int) (id string, err error)) ([]Outcome, error) {
	if n < 1 || n > MaxItems {
		return nil, tool.Fail(tool.ValidationError, "a batch has 1 to %d items, not %d", MaxItems, n)
	}
	wrong := make([]error, n)
	for i := range n {
		if wrong[i] = check(i); wrong[i] != nil && atomic {
			return nil, refused(i, wrong[i])
		}
	}
	outcomes := make([]Outcome, n)
	for i := range n {
		var id string
		err := wrong[i]
		if err == nil {
			id, err = create(i)
		}
		switch e := tool.AsError(err); {
		case e == nil:
			outcomes[i] = Outcome{Status: "success", ID: id}
		case e.Kind != tool.ValidationError && wrong[i] == nil:
			return nil, err
		case atomic:
			return nil, refused(i, err)
		default:
			outcomes[i] = Outcome{Status: "error", ErrorType: string(e.Kind), Message: fmt.Sprintf("item %d (counted from 0): %s", i, e.Msg)}
		}
	}
	return outcomes, nil
}

// refused returns the error of a batch of which nothing is created because of one item.
func refused(i int, err error) error {
	e := tool.AsError(err)
	return tool.Fail(e.Kind, "item %d (counted from 0): %s; nothing was created; correct it, or set atomic to false to create the others",
		i, e.Msg).Because(err)
}
