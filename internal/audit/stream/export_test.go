package stream

import (
	"context"
	"time"
)

// FollowAsking is Follow with requests that wait for so long.
func (t *Tail) FollowAsking(ctx context.Context, wait time.Duration, each func(Message) error) error {
	return t.follow(ctx, 0, wait, each)
}
