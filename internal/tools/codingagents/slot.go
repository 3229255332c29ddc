package codingagents

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/helve-dev/helve/tool"
)

// atOnce is how many sessions of a person run at a time.
const atOnce = 3

const (
	// slotMargin is how much longer than a session its slot is held if nobody
	// gives it back, because the worker died.
	slotMargin = 2 * time.Minute
	// afterwards is what the work after a session may take, when its call may be
	// over.
	afterwards = 20 * time.Second
)

// occupy takes one of the person's slots, whichever worker the others are on, and
// returns what gives it back.
func occupy(ctx context.Context, call *tool.Call, within time.Duration) (release func(), err error) {
	holder, err := json.Marshal(map[string]string{"call": call.ID})
	if err != nil {
		return nil, err
	}
	for n := range atOnce {
		id := strconv.Itoa(n + 1)
		free, err := call.Documents.Create(ctx, slots, id, holder, within+slotMargin)
		if err != nil {
			return nil, err
		}
		if free {
			return func() {
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
				defer cancel()
				_ = call.Documents.Delete(ctx, slots, id) // else it is forgotten in its time
			}, nil
		}
	}
	return nil, tool.Fail(tool.RateLimited, "%d coding sessions are running already, which is the most for one person; wait for one to end.", atOnce)
}
