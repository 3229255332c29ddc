package affinity

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
)

const (
	// claimLife is the time a worker keeps its lane after it last renewed its claim, and
	// claimAgain how often it does.
	claimLife  = 5 * time.Minute
	claimAgain = time.Minute
)

// Claim is the lane of a worker in a pool.
type Claim struct {
	bucket     *natsio.Bucket
	pool, id   string
	start, lot int
}

// NewClaim takes a lane of a pool for a worker. Workspace is the identity of its
// workspaces directory.
func NewClaim(ctx context.Context, q *queue.Queue, pool, id, workspace string) (*Claim, error) {
	bucket, err := q.Conn.Bucket(ctx, streams.BucketAffinity)
	if err != nil {
		return nil, err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(workspace + "/" + id))
	c := &Claim{bucket: bucket, pool: pool, id: id, start: int(h.Sum32() % queue.HomeLanes)}
	return c, c.take(ctx)
}

// Home returns the quick lane of the claim.
func (c *Claim) Home() string { return queue.HomeLane(c.lot) }

func (c *Claim) key(lot int) string { return c.pool + "." + queue.HomeLane(lot) }

// take finds a lane that no other worker has.
func (c *Claim) take(ctx context.Context) error {
	for i := range queue.HomeLanes {
		lot := (c.start + i) % queue.HomeLanes
		switch err := c.write(ctx, lot); {
		case err == nil:
			c.lot, c.start = lot, lot
			return nil
		case !errors.Is(err, natsio.ErrExists):
			return err
		}
	}
	return fmt.Errorf("worker.affinity: pool %s has %d workers with lanes of their own, which is the most; "+
		"put the workspaces on one shared volume and set it to none, or divide the pool", c.pool, queue.HomeLanes)
}

// write stores or renews the claim of a lane. ErrExists means that another worker has it.
func (c *Claim) write(ctx context.Context, lot int) error {
	value, revision, err := c.bucket.GetRevision(ctx, c.key(lot))
	if err != nil {
		return err
	}
	if value != nil && string(value) != c.id {
		return natsio.ErrExists
	}
	return c.bucket.PutAt(ctx, c.key(lot), []byte(c.id), revision, claimLife)
}

// Keep renews the claim until ctx ends. Where another worker has the lane by now, after
// this one was away for long, it takes another and calls moved.
func (c *Claim) Keep(ctx context.Context, moved func(home string), failed func(error)) {
	tick := time.NewTicker(claimAgain)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		bounded, cancel := context.WithTimeout(ctx, claimAgain)
		err := c.write(bounded, c.lot)
		if errors.Is(err, natsio.ErrExists) {
			if err = c.take(bounded); err == nil {
				moved(c.Home())
			}
		}
		cancel()
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// Leave gives the lane up.
func (c *Claim) Leave(ctx context.Context) error {
	_, err := c.bucket.DeleteIf(ctx, c.key(c.lot), []byte(c.id))
	return err
}
