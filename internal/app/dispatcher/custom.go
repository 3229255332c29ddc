package dispatcher

import (
	"context"
	"errors"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/server/changes"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
)

// openCustom returns the custom tools, as managed by operators and their owners.
func openCustom(life context.Context, q *queue.Queue, t trail.Writer) (changes.CustomTools, error) {
	bucket, err := q.Conn.Bucket(life, streams.BucketCustom)
	if err != nil {
		return changes.CustomTools{}, err
	}
	exists := func(err error) bool { return errors.Is(err, natsio.ErrExists) }
	return changes.CustomTools{Store: &store.Store{Bucket: bucket, Exists: exists}, Trail: t}, nil
}
