package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/helve-dev/helve/tool"
)

// rate refuses a call that exceeds a bound, before a person is asked about it. A call that a
// person has granted was counted when it came first. A redelivered call is counted again:
// its first attempt may have ended before it was counted, and a bound that sometimes counts
// twice is still a bound.
func (e *Engine) rate(ctx context.Context, j *Job) error {
	if e.deps.Rates == nil || j.Granted {
		return nil
	}
	wait, err := e.deps.Rates.Take(ctx, j)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRetry, err)
	}
	if wait <= 0 {
		return nil
	}
	j.wait = wait
	said := fmt.Sprintf("Too many calls of '%s'; wait %s and try again.", j.Tool, inSeconds(wait))
	if j.touched() {
		said += " An earlier attempt of this one may have taken effect."
	}
	return tool.Fail(tool.RateLimited, "%s", said)
}

// inSeconds is a time to wait as people say it, rounded up.
func inSeconds(d time.Duration) string {
	seconds := int((d + time.Second - 1) / time.Second)
	if seconds == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%d seconds", seconds)
}
