package wire

import (
	"context"

	"golang.org/x/time/rate"
)

// The number of messages that a server may send without being asked: as a burst and each
// second. A message of many bytes counts as several.
const (
	atOnce    = 1000
	perSecond = 200
	unit      = 32 << 10 // bytes that count as one message
)

// throttle slows down a server that sends too much.
type throttle struct{ limit *rate.Limiter }

func newThrottle() throttle { return throttle{rate.NewLimiter(perSecond, atOnce)} }

// wait waits until a message of that size is within the bounds, or ctx ends.
func (t throttle) wait(ctx context.Context, size int) error {
	return t.limit.WaitN(ctx, min(1+size/unit, atOnce))
}
