package bus

import (
	"context"
	"time"
)

// FollowAuditAsking is FollowAudit with requests that wait for so long.
func (b *Bus) FollowAuditAsking(ctx context.Context, wait time.Duration, each func(AuditMessage) error) error {
	return b.followAudit(ctx, 0, wait, each)
}
