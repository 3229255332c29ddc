package dispatcher

import (
	"context"

	"github.com/helve-dev/helve/internal/audit/trail"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox/upstream/approvals"
)

// openUpstream returns the service through which operators accept definitions of MCP
// servers' tools.
func openUpstream(life context.Context, q *queue.Queue, t trail.Writer) (*approvals.Service, error) {
	bucket, err := q.Conn.Bucket(life, streams.BucketUpstream)
	if err != nil {
		return nil, err
	}
	return &approvals.Service{Bucket: bucket, Record: t.Write}, nil
}
