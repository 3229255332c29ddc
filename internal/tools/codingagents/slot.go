package codingagents

import (
	"context"
	"time"

	"github.com/helve-dev/helve/tool"
)

// atOnce is the number of concurrent sessions of a person.
const atOnce = 3

const (
	// slotMargin is the extra time for which a slot is held if it is never released,
	// because the worker died. It exceeds the difference between the clocks of workers.
	slotMargin = 2 * time.Minute
	// afterwards limits the work after a session, when its call may have ended.
	afterwards = 20 * time.Second
)

// slot is the right of a call to run one of the person's sessions.
type slot struct {
	Call  string    `json:"call"`
	Until time.Time `json:"until" doc:"When it is free again if it was not released."`
}

// occupy takes one of the person's slots, across all workers, and returns a function
// that releases it.
func occupy(ctx context.Context, call *tool.Call, within time.Duration) (release func(), err error) {
	var id string
	err = call.Store.Transaction(ctx, func(s tool.Store) error {
		if err := s.Touch(ctx, slots.Shape().Name); err != nil { // of two calls the second counts the first
			return err
		}
		taken, err := slots.Query(ctx, s, tool.Query{})
		if err != nil {
			return err
		}
		now, held := call.Clock.Now(), 0
		for _, r := range taken.List {
			if r.Value.Until.After(now) {
				held++
			} else if err := slots.Delete(ctx, s, r); err != nil {
				return err
			}
		}
		if held >= atOnce {
			return tool.Fail(tool.RateLimited, "%d coding sessions are running already, which is the most for one person; wait for one to end.",
				held)
		}
		r, err := slots.Insert(ctx, s, slot{Call: call.ID, Until: now.Add(within + slotMargin)})
		id = r.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
		defer cancel()
		_ = call.Store.Transaction(ctx, func(s tool.Store) error { return s.Delete(ctx, slots.Shape(), id, 0) }) // otherwise the slot expires
	}, nil
}
