package wire

import (
	"context"

	"golang.org/x/time/rate"
)

// What a server may send that nobody waits for, in messages: at once and each second.
// One of many bytes counts as several.
const (
	atOnce    = 1000
	perSecond = 200
	unit      = 32 << 10 // bytes of a message that count as one more
)

// throttle slows down who sends too much.
type throttle struct{ limit *rate.Limiter }

func newThrottle() throttle { return throttle{rate.NewLimiter(perSecond, atOnce)} }

// wait waits until a message of that size is within the bounds, or ctx ends.
func (t throttle) wait(ctx context.Context, size int) error {
	return t.limit.WaitN(ctx, min(1+size/unit, atOnce))
}
